import type { ComponentProps, ReactElement } from "react";
import { classNames } from "./class-names.ts";

type Look = "primary" | "plain" | "quiet" | "danger";

const LOOKS: Readonly<Record<Look, string>> = {
  primary: "bg-accent text-accent-ink hover:opacity-90 border-transparent",
  plain: "bg-surface border-line-strong hover:bg-hover",
  quiet: "border-transparent text-soft hover:bg-hover hover:text-ink",
  danger: "bg-surface border-line-strong text-bad hover:bg-bad-wash",
};

export interface ButtonProps extends ComponentProps<"button"> {
  readonly look?: Look;
  readonly small?: boolean;
}

export function buttonClass({
  look = "plain",
  small = false,
}: Pick<ButtonProps, "look" | "small">): string {
  return classNames(
    "inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md border font-medium whitespace-nowrap",
    "disabled:cursor-not-allowed disabled:opacity-50 [&>svg]:size-3.5 [&>svg]:shrink-0",
    small ? "h-6 px-2 text-xs" : "h-8 px-3 text-sm",
    LOOKS[look],
  );
}

export function Button({ look, small, className, ...rest }: ButtonProps): ReactElement {
  return (
    <button
      type="button"
      className={classNames(
        buttonClass({ ...(look && { look }), ...(small && { small }) }),
        className,
      )}
      {...rest}
    />
  );
}

/** A button with nothing but a picture; its name is for those who do not see it. */
export function IconButton({
  label,
  className,
  ...rest
}: ComponentProps<"button"> & { readonly label: string }): ReactElement {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={classNames(
        "inline-flex size-7 shrink-0 items-center justify-center rounded-md text-soft hover:bg-hover hover:text-ink disabled:opacity-40 [&>svg]:size-4",
        className,
      )}
      {...rest}
    />
  );
}
