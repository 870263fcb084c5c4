// The input of the conformance suites and their cases. Types only.
import type { Instant, Kubernetes, MergePatch, Unstructured } from '@capi-serverless/apimachinery';
import type { ProviderContract } from '@capi-serverless/cluster-api/contract';
import type { Reconciler } from '@capi-serverless/reconciler';

/** The setup that all suites need. */
export interface CommonSetup {
  /** The finalizer. Default: `<lower-case kind>.<group>`. */
  readonly finalizer?: string;
  /** Called when a case runs. Returns a server with the CRDs of Cluster API and of the provider. */
  readonly kubernetes: () => Kubernetes;
  /** An existing namespace without controllers. The suite creates and deletes objects named `conformance-…` in it. */
  readonly namespace: string;
  /** The start time. The suite steps the clock from this time and never sleeps. */
  readonly now: () => Instant;
  /** Distinguishes the objects of this run from those of earlier runs. */
  readonly newId: () => string;
  /**
   * The spec of an object that becomes ready. A function creates one spec per object of the suite, counted from 0,
   * because in some clouds two objects cannot have the same value. Default: empty.
   */
  readonly spec?: SuiteSpec | ((index: number) => SuiteSpec);
  readonly annotations?: Readonly<Record<string, string>>;
  /** Dotted paths, such as `status.networkId`, of values that the cloud chooses per object: ids and addresses. */
  readonly varies?: readonly string[];
  /** Patches of the object, or operations on the provider's cloud. They cause failures of resources and repair them. */
  readonly failure?: { readonly inject: ConformanceStep; readonly mend: ConformanceStep };
  /** Causes the author's function to throw `Terminal`. */
  readonly terminal?: { readonly inject: ConformanceStep };
}

export interface ConformanceSetup extends CommonSetup {
  /** The result of `defineInfrastructureProvider`. */
  readonly provider: Reconciler<object, object>;
  readonly contract: ProviderContract;
  readonly endpoint: 'provided' | 'fromCluster';
  /** The names of the failure domains that this object reports. Default: not compared. */
  readonly failureDomains?: readonly string[];
}

export interface ActuatorConformanceSetup extends CommonSetup {
  /** The result of `defineClusterActuator`. */
  readonly actuator: Reconciler<object, object>;
  /** Returns true if the object reports the complete result of `reconcile`. Default: the object is not checked. */
  readonly isReady?: (object: Unstructured) => boolean;
  /** A kind that is deleted before the Cluster, with a valid spec. Default: the cases have no children. */
  readonly child?: { readonly kind: string; readonly spec?: Readonly<Record<string, unknown>> };
}

export type SuiteSpec = Readonly<Record<string, unknown>>;

/** A function receives the name of the object. "" repairs all objects. */
export type ConformanceStep = MergePatch | ((name: string) => Promise<void>);

/** A case for any test runner: `for (const { name, run } of cases) test(name, run)`. */
export interface ConformanceCase {
  readonly name: string;
  /** Rejects with an Error that contains the expected and the actual value. */
  run(): Promise<void>;
}
