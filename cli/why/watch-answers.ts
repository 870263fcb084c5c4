// `capi-serverless why --watch`: asks again and prints each answer that differs from the one before.
import { setTimeout as sleep } from 'node:timers/promises';
import { exitCodes } from '../../local/exit-codes.ts';
import { UsageError } from '../../local/usage-error.ts';
import type { Print } from '../command.ts';
import { MissingObjectError } from './why.ts';

/** Between two questions. */
const intervalMs = 2000;

interface Watching {
  readonly write: Print;
  /** Resolves with false if no further question is wanted. */
  readonly pause: () => Promise<boolean>;
}

/**
 * Resolves with the exit code: done as soon as nothing waits, or the object is gone. If the user ends it before, the
 * exit code of the last answer. Throws UsageError only if the first question has no answer. A later question without
 * answer is printed and repeated.
 */
export async function watchAnswers(ask: (write: Print) => Promise<number>, watching: Watching): Promise<number> {
  const first: string[] = [];
  let code = await ask(text => first.push(text));
  let printed = first.join('');
  watching.write(printed);
  while (code !== exitCodes.done && (await watching.pause())) {
    const answer = await answerOf(ask);
    if (answer.text !== printed) {
      watching.write(answer.text);
    }
    printed = answer.text;
    code = answer.code ?? code;
  }
  return code;
}

interface WatchedAnswer {
  readonly text: string;
  /** `undefined` if the question had no answer. */
  readonly code?: number;
}

async function answerOf(ask: (write: Print) => Promise<number>): Promise<WatchedAnswer> {
  const texts: string[] = [];
  try {
    const code = await ask(text => texts.push(text));
    return { text: texts.join(''), code };
  } catch (thrown) {
    if (thrown instanceof MissingObjectError) {
      return { text: `${thrown.display} is gone.\n`, code: exitCodes.done };
    }
    if (thrown instanceof UsageError) {
      return { text: `${thrown.message}\n` };
    }
    throw thrown;
  }
}

/** Returns a pause that ends with false when `signal` aborts. */
export function pauseUntil(signal: AbortSignal): () => Promise<boolean> {
  return () => sleep(intervalMs, true, { signal }).catch(() => false);
}
