// A browser that does what lines on standard input say, one JSON object each, and answers with one line each.
// Started by tests/python/test_view_page.py: node browser.mjs CHROMIUM MODULES
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [executablePath, modules] = process.argv.slice(2);
const { chromium } = await import(pathToFileURL(`${modules}/playwright-core/index.mjs`).href);
const browser = await chromium.launch({
  executablePath,
  args: [
    ..."no-sandbox disable-dev-shm-usage use-gl=angle use-angle=swiftshader enable-unsafe-swiftshader ignore-gpu-blocklist disable-gpu-compositing".split(" "),
    // One process draws all pages: starting another one and compiling the page's script again takes longer than most tests.
    ..."disable-site-isolation-trials renderer-process-limit=1".split(" "),
  ].map((flag) => `--${flag}`),
});
let page = null;
let altered = false;
let errors = [];

const commands = {
  // bypassCSP: the waiting below evaluates text, which the page itself may not. What was shown before is gone; a page with a script of its own is not used again.
  async open({ url, width = 1280, height = 720, script }) {
    if (page && (script || altered)) await commands.close();
    if (!page) {
      const context = await browser.newContext({ bypassCSP: true, acceptDownloads: true });
      page = await context.newPage();
      page.on("pageerror", (error) => errors.push(error.message));
      if (script) await page.addInitScript(script);
      altered = Boolean(script);
    }
    await page.goto("about:blank");
    await page.setViewportSize({ width, height });
    errors = [];
    const response = await page.goto(url);
    return response ? response.status() : 0;
  },
  async wait({ until, seconds = 30 }) {
    await page.waitForFunction(until, null, { timeout: 1000 * seconds, polling: 50 });
    return true;
  },
  evaluate: ({ code }) => page.evaluate(code),
  click: ({ x, y }) => page.mouse.click(x, y),
  press: ({ key }) => page.keyboard.press(key),
  async save({ action, path }) {
    const [download] = await Promise.all([page.waitForEvent("download", { timeout: 60000 }), page.evaluate(action)]);
    await download.saveAs(path);
    return download.suggestedFilename();
  },
  async text({ selector }) {
    const element = await page.$(selector);
    return element && (await element.isVisible()) ? element.innerText() : null;
  },
  screenshot: ({ path }) => page.screenshot({ path }),
  errors: async () => errors,
  close: async () => {
    await page?.context().close();
    page = null;
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line);
  let answer;
  try {
    answer = { value: (await commands[command.do](command)) ?? null };
  } catch (error) {
    answer = { error: String(error.message ?? error) };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
}
await browser.close();
