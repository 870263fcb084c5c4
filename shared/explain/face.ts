// What commands need from a reconciler: planned writes with reasons, and what objects wait for. Its explain.ts provides it.
import { type Answer, answered, type ObjectRef, type Reads, type Unstructured } from '@capi-serverless/apimachinery';
import type { Action, PortFactories, Reconciler } from '@capi-serverless/reconciler';
import type { PortTypes } from '../ports.ts';
import type { Wait } from './conditions.ts';
import { type Explanation, toExplanation } from './explanation.ts';
import type { Node, Shown } from './tree.ts';

/** Which calls are allowed besides reads of objects, and how to report the skipped ones. */
export interface Asking {
  readonly reads: Reads;
  readonly ref: ObjectRef;
  /** False: hooks are not called, and `wouldAsk` reports the skipped calls. */
  readonly callHooks: boolean;
  /** False: workload clusters are not probed, and `wouldAsk` reports the skipped probes. */
  readonly probeWorkloads: boolean;
  /** Reports a skipped call. The text names the option that allows it. */
  wouldAsk(question: string): void;
}

/** A write that was planned and not sent. */
export interface PlannedWrite {
  readonly verb: 'create' | 'patch' | 'apply' | 'delete';
  readonly ref: ObjectRef;
  readonly subresource?: 'status';
  /** What would be sent; absent for a delete. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** The object before and after the write; `undefined` if it does not exist. */
  readonly before: Unstructured | undefined;
  readonly after: Unstructured | undefined;
}

/** The input for the explanation of an action. */
export interface Because<Seen> {
  readonly action: Action;
  readonly write: PlannedWrite | undefined;
  /** What the write changes, as dotted paths. */
  readonly changedPaths: readonly string[];
  readonly seen: Seen;
}

/** An object that another reconciler must settle before a plan from manifests is useful. */
interface Prerequisite {
  readonly reconciler: string;
  readonly ref: ObjectRef;
}

export interface Face<Ports extends Partial<PortTypes>, Seen extends object> {
  /** The reconciler, with the settings that `plan` assumes. */
  readonly reconciler: Reconciler<Ports, Seen>;
  /** Adapters for calls that are not allowed: they return the last reported state. A signer makes no writes. */
  readonly asReported: PortFactories<Omit<Ports, 'signer'>, Asking>;
  /** Whether the reconciler handles the object. Default: it handles all objects. */
  concerns?(primary: Unstructured): boolean;
  /** If present, plans from manifests need the owners of fields. Returns the object that must be settled first. */
  readonly fromFiles?: (primary: Unstructured) => Prerequisite | undefined;
  /** Explains an action; `undefined` if it has no explanation. */
  whyOf(because: Because<Seen>): string | undefined;
  /** The object that the object of an action replaces. */
  replacedBy?(because: Because<Seen>): Unstructured | undefined;
  /** Additional lines about a pass for the user. */
  conclude?(seen: Seen): readonly string[];
  /** What an object waits for; `undefined` if it waits for nothing. */
  waitOf(primary: Unstructured): Wait | undefined;
  /** What a user can do about the wait. */
  remediesOf?(primary: Unstructured, wait: Wait): readonly string[];
  /** For `why`: reads what belongs to the object. Default: the wait and its remedies, without a tree. */
  describe?(primary: Unstructured, describing: Describing): Promise<Answer<Description>>;
  /** `why` explains the objects of this reconciler if no reconciler is named. */
  readonly isDefault?: true;
}

/**
 * The annotation by which a user asked the provider of an object to hold up its progress, or connections to its API server;
 * `undefined` without one. Simulated providers have such annotations.
 */
export type FindOrder = (object: Unstructured, holdsUp: 'progress' | 'connections') => string | undefined;

export interface Describing {
  readonly reads: Reads;
  readonly findOrder: FindOrder;
}

export interface Description {
  /** The object and what belongs to it, with the shown nodes of each list. Absent: only the object is known. */
  readonly tree?: (shown: Shown) => Node;
  /** `undefined` if the object waits for nothing. */
  readonly explanation: Explanation | undefined;
}

/** A face that hides the types of ports and observations. */
export interface ReconcilerFace {
  readonly name: string;
  readonly isDefault: boolean;
  /** For `why`. Fails if what belongs to the object cannot be read. */
  describe(primary: Unstructured, describing: Describing): Promise<Answer<Description>>;
  use<Result>(work: <Ports extends Partial<PortTypes>, Seen extends object>(face: Face<Ports, Seen>) => Result): Result;
}

export function toFace<Ports extends Partial<PortTypes>, Seen extends object>(face: Face<Ports, Seen>): ReconcilerFace {
  return {
    name: face.reconciler.declaration.name,
    isDefault: face.isDefault === true,
    use: work => work(face),
    describe: async (primary, describing) =>
      face.describe === undefined ? answered(describePlainly(face, primary)) : face.describe(primary, describing),
  };
}

function describePlainly(
  { waitOf, remediesOf }: Pick<Face<object, object>, 'waitOf' | 'remediesOf'>,
  primary: Unstructured,
): Description {
  const wait = waitOf(primary);
  const remedies = wait === undefined ? [] : (remediesOf?.(primary, wait) ?? []);
  return { explanation: wait && toExplanation(wait, { pointsTo: [], remedies }) };
}
