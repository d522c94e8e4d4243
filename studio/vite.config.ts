import { defineConfig, type UserConfig } from "vite";
import { iconComponents } from "./icon-components.ts";
import { tailwindStyles } from "./tailwind-styles.ts";

const config: UserConfig = defineConfig({
  root: import.meta.dirname,
  // Wherever the page is mounted, its files are beside it.
  base: "./",
  plugins: [iconComponents(import.meta.dirname), tailwindStyles(import.meta.dirname)],
  resolve: { conditions: ["@turnkeep/source", "browser", "import", "default"] },
  build: {
    outDir: "../dist/studio/app",
    emptyOutDir: true,
    target: "es2023",
    modulePreload: { polyfill: false },
    // A font or picture within the styles would be one more thing for the policy to allow.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: {
        // What every page needs, in one file: it is smaller than its pieces.
        codeSplitting: {
          groups: [
            {
              name: "shell",
              test: /studio\/(?:api\/(?:request|queries|live-bus)|app\/(?:preferences|use-keys|announcer|page-nonce|nav-rail|shell|router|token|live-bus-context|not-found)|ui\/(?:button|class-names|views|page|key-names))\.tsx?$/,
            },
            {
              name: "base",
              test: /node_modules\/(?:react|react-dom|scheduler|@tanstack\/(?:react-router|router-core|history|react-store|store|react-query|query-core))\/(?!.*(?:[iI]nfinite|[mM]utation(?!Cache)|[qQ]ueries(?!Observer\.d)|[hH]ydrat|[sS]uspense|Prefetch|streamed|Blocker|Awaited|Matches\.d))/,
            },
          ],
        },
      },
      // Libraries say "use client" to servers, of which there is none.
      onLog: (level, log, report) => {
        if (log.code !== "MODULE_LEVEL_DIRECTIVE") report(level, log);
      },
    },
  },
});

export default config;
