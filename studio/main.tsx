import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { setNonce } from "get-nonce";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { LiveBus } from "./api/live-bus.ts";
import { ApiError } from "./api/request.ts";
import { LiveBusProvider } from "./app/live-bus-context.tsx";
import { applyTheme } from "./app/preferences.ts";
import { createStudioRouter } from "./app/router.tsx";
import { openWithToken } from "./app/token.ts";
import { pageNonce } from "./app/page-nonce.ts";
import "./styles.css";

applyTheme();
setNonce(pageNonce());

const client = new QueryClient({
  defaultOptions: {
    queries: {
      // What the server refused, it will refuse again.
      retry: (failures, error) =>
        failures < 2 && (!(error instanceof ApiError) || error.code === 0 || error.code >= 500),
      retryDelay: (attempt) => 400 * 2 ** attempt,
      staleTime: 2000,
      refetchOnWindowFocus: false,
    },
  },
});
const bus = new LiveBus(client);
const router = createStudioRouter();
await openWithToken();

const root = document.querySelector("#root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <LiveBusProvider bus={bus}>
          <RouterProvider router={router} />
        </LiveBusProvider>
      </QueryClientProvider>
    </StrictMode>,
  );
}
