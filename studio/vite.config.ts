import tailwindcss from "@tailwindcss/vite";
import { defineConfig, type UserConfig } from "vite";

const config: UserConfig = defineConfig({
  root: import.meta.dirname,
  // Wherever the page is mounted, its files are beside it.
  base: "./",
  plugins: [tailwindcss()],
  resolve: { conditions: ["@turnkeep/source", "browser", "import", "default"] },
  build: {
    outDir: "../dist/studio/app",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    // A font or picture within the styles would be one more thing for the policy to allow.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      // Libraries say "use client" to servers, of which there is none.
      onLog: (level, log, report) => {
        if (log.code !== "MODULE_LEVEL_DIRECTIVE") report(level, log);
      },
    },
  },
});

export default config;
