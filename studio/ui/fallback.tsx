import { Component, type ReactNode } from "react";

/** Shows something else where a part cannot be drawn, so that the rest of the page stays. */
export class Fallback extends Component<
  { readonly instead: ReactNode; readonly children: ReactNode },
  { readonly isBroken: boolean }
> {
  override state = { isBroken: false };

  static getDerivedStateFromError(): { readonly isBroken: boolean } {
    return { isBroken: true };
  }

  override render(): ReactNode {
    return this.state.isBroken ? this.props.instead : this.props.children;
  }
}
