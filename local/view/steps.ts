// Prints the steps of the start of a local run, until the output of the run begins. Writes nothing to standard output.
import type { OutputTerminal } from './terminal.ts';

export interface Steps {
  /** Starts this step and ends the previous one. */
  begin(step: string): void;
  /** Ends the last step. May be called again. */
  end(): void;
}

export interface StepsOptions {
  readonly write: (text: string) => void;
  readonly now: () => number;
  /** Set if the output is a terminal. Then one line is written again for each step and removed at the end. */
  readonly terminal?: OutputTerminal | undefined;
}

const clearLine = '\r\x1b[K';

export const silentSteps: Steps = { begin: () => undefined, end: () => undefined };

export function createSteps({ write, now, terminal }: StepsOptions): Steps {
  if (terminal === undefined) {
    return {
      begin: step => write(`${new Date(now()).toISOString().slice(11, 19)}  ${step}\n`),
      end: () => undefined,
    };
  }
  let isDrawn = false;
  return {
    begin(step) {
      isDrawn = true;
      // The last column stays empty, because terminals differ in when they wrap.
      terminal.write(`${clearLine}${step.slice(0, terminal.columns() - 1)}`);
    },
    end() {
      if (isDrawn) {
        isDrawn = false;
        terminal.write(clearLine);
      }
    },
  };
}
