import { App } from "./app";
import { EmbeddedSource } from "./embedded";
import { ServerSource } from "./source";
import "./style.css";

const root = document.getElementById("app")!;
const app = new App(root, EmbeddedSource.present() ? new EmbeddedSource() : new ServerSource());
void app.start();
