// The hooks that must be called before planning can continue. Planning is pure: it yields a question and continues with
// the hook state that contains the answer.
import type { Hook, RetryResponse } from '../../../../shared/runtime-hooks/rules/hook.ts';
import type { AfterUpgradeStepRequest, BeforeUpgradeRequest } from '../../../../shared/runtime-hooks/rules/requests.ts';
import type { HookState } from './hook-state.ts';

type WithoutCluster<Request> = Omit<Request, 'cluster'>;

export type HookQuestion = {
  /** The previous hook state. The answer is added to it. */
  readonly hookState: HookState;
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

/** The caller passes the state with the answer to the generator. A failed call ends the generator. */
export type HookQuestions<T> = Generator<HookQuestion, T, HookState>;
