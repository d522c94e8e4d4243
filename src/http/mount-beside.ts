import type { Handler } from "./create-handler.ts";

/** A handler of everything below a path. */
export interface MountedHandler extends Handler {
  readonly path: string;
}

/** The handler, but for what is below the paths of others, which those answer. */
export function mountBeside(handler: Handler, others: readonly MountedHandler[]): Handler {
  return (request) => {
    const { pathname } = new URL(request.url);
    const found = others.find(({ path }) => pathname === path || pathname.startsWith(`${path}/`));
    return (found ?? handler)(request);
  };
}
