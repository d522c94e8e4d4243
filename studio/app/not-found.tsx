import { Link } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { buttonClass } from "../ui/button.tsx";
import { PageTitle } from "../ui/page.tsx";
import { EmptyView } from "../ui/views.tsx";

export function NotFound(): ReactElement {
  return (
    <div className="p-4">
      <PageTitle title="Not found" />
      <EmptyView
        title="There is nothing at this address."
        action={
          <Link to="/agents" className={buttonClass({})}>
            All agents
          </Link>
        }
      />
    </div>
  );
}
