import {
  type Json,
  mergeResumes,
  type Message,
  type OpenInterrupt,
  openInterrupts,
  type Resume,
} from "../protocol/index.ts";

type Methods = "approve" | "deny" | "answer";

/** A tool that waits for a person. All that are open are answered together: the last answer sends them. A second answer to the same one is ignored. */
export interface Interrupt extends Omit<OpenInterrupt, Methods> {
  /** Lets the tool run. It runs from its start, with `resumed` set to `data`, or to `true` without any. */
  readonly approve: (data?: Json) => void;
  /** Refuses the call. The tool does not run; the model is told that the call was denied, with the reason. */
  readonly deny: (reason?: string) => void;
  /** Answers in the tool's place. The tool does not run; the model gets `output` as the tool's result. */
  readonly answer: (output: Json) => void;
}

/** The open requests of a conversation whose last message this is. `resume` is called once all are answered. */
export function interruptsOf(
  last: Message | undefined,
  resume: (resume: Resume) => void,
): readonly Interrupt[] {
  const open = openInterrupts({ messages: last ? [last] : [] });
  const answers: (Resume | undefined)[] = open.map(() => undefined);
  return open.map(({ approve, deny, answer, ...interrupt }, index) => {
    const settle = (given: Resume): void => {
      if (answers[index]) return;
      answers[index] = given;
      if (!answers.includes(undefined)) resume(mergeResumes(...(answers as Resume[])));
    };
    return {
      ...interrupt,
      approve: (data) => settle(approve(data)),
      deny: (reason) => settle(deny(reason)),
      answer: (output) => settle(answer(output)),
    };
  });
}
