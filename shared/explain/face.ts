// The interface of a reconciler for CLI commands: planned writes with reasons, and what objects wait for. The file
// explain.ts of a reconciler implements it.
import {
  type Answer,
  answered,
  type JsonObject,
  type ObjectRef,
  type Reads,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import type { Action, Pass, PortFactories, Reconciler, WiredPorts } from '@capi-serverless/reconciler';
import type { PortTypes } from '../ports.ts';
import type { Wait } from './conditions.ts';
import { type Explanation, toExplanation } from './explanation.ts';
import type { FindOrder } from './find-order.ts';
import type { ObjectNode, Shown } from './tree.ts';

/** The calls that are allowed in addition to reads of objects, and the report of skipped calls. */
export interface ExplainContext {
  readonly reads: Reads;
  readonly ref: ObjectRef;
  /** If false, hooks are not called and `wouldAsk` reports the skipped calls. */
  readonly callHooks: boolean;
  /** If false, workload clusters are not probed and `wouldAsk` reports the skipped probes. */
  readonly probeWorkloads: boolean;
  /** Reports a skipped call. The text names the option that allows it. */
  wouldAsk(question: string): void;
}

/** A write that was planned and not sent. */
export interface PlannedWrite {
  readonly verb: 'create' | 'patch' | 'apply' | 'delete';
  readonly ref: ObjectRef;
  readonly subresource?: 'status';
  /** The body that would be sent. Absent for a delete. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** The object before and after the write. `undefined` if it does not exist. */
  readonly before: Unstructured | undefined;
  readonly after: Unstructured | undefined;
}

/** The input for the explanation of an action. */
export interface ExplainedAction<Seen> {
  readonly action: Action;
  readonly write: PlannedWrite | undefined;
  /** The changed fields as dotted paths. */
  readonly changedPaths: readonly string[];
  readonly seen: Seen;
}

/** An object that another reconciler must settle before a plan from manifests is useful. */
interface Prerequisite {
  readonly reconciler: string;
  readonly ref: ObjectRef;
}

/** What a later change by a user would do. */
export interface Preview {
  readonly title: string;
  readonly lines: readonly string[];
  /** The same as JSON, with more items of long lists. */
  readonly data: JsonObject;
}

/** An object whose Machines are replaced. */
export interface Replaced {
  readonly ref: ObjectRef;
  readonly why: string;
}

export interface Previewing<Ports> {
  readonly ask: Reads & WiredPorts<Ports>;
  readonly pass: Pass;
  /** The object after the planned writes. */
  readonly after: Unstructured;
}

export interface Face<Ports extends Partial<PortTypes>, Seen extends object> {
  /** The reconciler, with the settings that `plan` assumes. */
  readonly reconciler: Reconciler<Ports, Seen>;
  /** Returns adapters for calls that are not allowed. They return the last reported state. A signer makes no writes. */
  readonly asReported: PortFactories<Omit<Ports, 'signer'>, ExplainContext>;
  /** Returns true if the reconciler handles the object. Default: it handles all objects. */
  concerns?(primary: Unstructured): boolean;
  /** If present, plans from manifests need the owners of fields. Returns the object that must be settled first. */
  readonly fromFiles?: (primary: Unstructured) => Prerequisite | undefined;
  /** Explains an action. Returns `undefined` if there is no explanation. */
  whyOf(because: ExplainedAction<Seen>): string | undefined;
  /** Returns the object that the object of an action replaces. */
  replacedBy?(because: ExplainedAction<Seen>): Unstructured | undefined;
  /** Returns additional lines about a pass for the user. */
  conclude?(seen: Seen): readonly string[];
  /** Returns objects that the pass does not write, although their Machines will be replaced, such as waiting workers. */
  laterReplaced?(seen: Seen): readonly Replaced[];
  /** Used by `plan`. May read more than a pass does. `seen` is the observation of the last pass. */
  preview?(seen: Seen, previewing: Previewing<Ports>): Promise<Preview | undefined>;
  /** Returns what an object waits for, or `undefined` if it waits for nothing. */
  waitOf(primary: Unstructured): Wait | undefined;
  /** Returns the possible remedies for the wait. */
  remediesOf?(primary: Unstructured, wait: Wait): readonly string[];
  /** Used by `why`. Reads the objects that belong to the object. Default: the wait and its remedies, without a tree. */
  describe?(primary: Unstructured, describing: Describing): Promise<Answer<Description>>;
  /** If true, `why` explains the objects of this reconciler if no reconciler is given. */
  readonly isDefault?: true;
}

export interface Describing {
  readonly reads: Reads;
  readonly findOrder: FindOrder;
}

export interface Description {
  /**
   * The object and the objects that belong to it, with the visible nodes of each list. Absent if only the object is
   * known.
   */
  readonly tree?: (shown: Shown) => ObjectNode;
  /** `undefined` if the object waits for nothing. */
  readonly explanation: Explanation | undefined;
}

/** Hides the types of ports and observations. */
export interface ReconcilerFace {
  readonly name: string;
  readonly isDefault: boolean;
  /** Used by `why`. Rejects if the objects that belong to the object cannot be read. */
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
