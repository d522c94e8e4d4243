import { existsSync } from "node:fs";
import { type Browser, type BrowserServer, chromium, type LaunchOptions } from "playwright-core";

// As root there is no sandbox to be had; the rest keeps Chromium from calling home.
const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const INSTALLED = ["/usr/bin/chromium", "/usr/bin/google-chrome"];

/** A real Chromium: the one that is named or installed, else the one that came with the development packages. */
export async function launchBrowser(): Promise<Browser> {
  return await chromium.launch(await findChromium());
}

/** The same, for other processes to connect to. */
export async function launchBrowserServer(): Promise<BrowserServer> {
  return await chromium.launchServer(await findChromium());
}

async function findChromium(): Promise<LaunchOptions> {
  const installed = [process.env["CHROMIUM_PATH"] ?? "", ...INSTALLED].find(existsSync);
  if (installed !== undefined) return { executablePath: installed, args: ARGUMENTS };
  // Makes it bring the libraries that a bare machine has not.
  process.env["AWS_LAMBDA_JS_RUNTIME"] ??= "nodejs20.x";
  const { default: packed } = await import("@sparticuz/chromium");
  const executablePath = await packed.executablePath();
  // In one process, the whole browser would end with its first page.
  const args = packed.args.filter((argument) => argument !== "--single-process");
  return { executablePath, args: [...args, ...ARGUMENTS] };
}
