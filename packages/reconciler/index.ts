// The definition of a reconciler. Pure.

// The four parts and their results, and the declaration from which a deployment is generated.

export type {
  Action,
  Declaration,
  DeclarationOf,
  EventDraft,
  ListScope,
  NodeOfPrimary,
  Outcome,
  Outcomes,
  Pass,
  PolicyRule,
  Reconciler,
  Report,
  Result,
  SourceEvent,
  StatusChange,
  Stop,
  Watch,
  WorkloadTarget,
} from './types.ts';

// The ports of a reconciler.

export { declare, makePorts, type PortFactories, type WiredPorts } from './ports.ts';

// An action that several reconcilers use.

export { patchFinalizers } from './finalizers.ts';

// The limits of work for one object.

export { workOfPass, workOfReconcile } from './work.ts';

// Outcomes. Keys are action ids.

export { failedWrites, failureOf, type NeededWrite } from './outcomes.ts';

// Errors that control retries, and the log.

export { RetryableError, TerminalError, toError } from './errors.ts';
export type { Log, LogFields } from './log.ts';
