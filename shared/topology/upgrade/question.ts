// What planning versions must hear from extensions before it can go on. Planning is pure: it yields the question, and goes
// on with the book in which somebody has written the answer.
import type { Hook, RetryResponse } from '../../runtime-hooks/rules/hook.ts';
import type { AfterUpgradeStepRequest, BeforeUpgradeRequest } from '../../runtime-hooks/rules/requests.ts';
import type { HookBook } from './hook-book.ts';

type WithoutCluster<Request> = Omit<Request, 'cluster'>;

export type Question = {
  /** As far as it is written; the answer goes into it. */
  readonly book: HookBook;
} & (
  | {
      readonly stage: 'before';
      readonly hook: Hook<BeforeUpgradeRequest, RetryResponse>;
      readonly request: WithoutCluster<BeforeUpgradeRequest>;
    }
  | {
      readonly stage: 'after';
      readonly hook: Hook<AfterUpgradeStepRequest, RetryResponse>;
      readonly request: WithoutCluster<AfterUpgradeStepRequest>;
    }
);

/** Whoever drives it hands in the book with the answer; a failed call ends it. */
export type Asking<T> = Generator<Question, T, HookBook>;
