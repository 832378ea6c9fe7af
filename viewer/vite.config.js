// One script and one style sheet beside index.html, addressed relative to the page.
export default {
  base: "./",
  build: {
    target: "es2022",
    chunkSizeWarningLimit: 1500,
    modulePreload: { polyfill: false },
    rollupOptions: { output: { entryFileNames: "viewer.js", assetFileNames: "viewer[extname]" } },
  },
};
