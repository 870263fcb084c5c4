// The hooks that must be called before planning can continue. Planning is pure: it yields the question and
// continues with the hook state that contains the answer.
import type { Hook, RetryResponse } from '../../../../shared/runtime-hooks/rules/hook.ts';
import type { AfterUpgradeStepRequest, BeforeUpgradeRequest } from '../../../../shared/runtime-hooks/rules/requests.ts';
import type { HookState } from './hook-state.ts';

type WithoutCluster<Request> = Omit<Request, 'cluster'>;

export type HookQuestion = {
  /** The state so far; the answer is added to it. */
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

/** The caller passes in the state with the answer. A failed call ends it. */
export type Asking<T> = Generator<HookQuestion, T, HookState>;
