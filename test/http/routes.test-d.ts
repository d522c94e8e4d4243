import { createHandler, type RouteGroup } from "turnkeep/http";
import { describe, expectTypeOf, test } from "vitest";

describe("the routes of a server", () => {
  test("are chosen by names that exist", () => {
    createHandler([], { auth: "public", routes: ["turn", "snapshots"] });
    createHandler([], { auth: "public", routes: "all" });
    // @ts-expect-error There is no such group.
    createHandler([], { auth: "public", routes: ["session"] });
    // @ts-expect-error One group is a list, too.
    createHandler([], { auth: "public", routes: "turn" });
    expectTypeOf<"sessions">().toExtend<RouteGroup>();
  });
});
