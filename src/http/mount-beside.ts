import { answererOf, type Handler, toHandler } from "./handler.ts";

/** A handler of everything below a path. */
export interface MountedHandler extends Handler {
  readonly path: string;
}

/** The handler, but for what is below the paths of others, which those answer. */
export function mountBeside(handler: Handler, others: readonly MountedHandler[]): Handler {
  if (others.length === 0) return handler;
  const answerTo = answererOf(handler);
  const mounted = others.map((other) => ({ path: other.path, answerTo: answererOf(other) }));
  return toHandler((request) => {
    const { pathname } = new URL(request.url);
    const found = mounted.find(({ path }) => pathname === path || pathname.startsWith(`${path}/`));
    return (found?.answerTo ?? answerTo)(request);
  });
}
