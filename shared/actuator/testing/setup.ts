// What an author tells the conformance suites, and what they answer. Types only.
import type { Instant, MergePatch, Unstructured } from '../../api/object.ts';
import type { ProviderContract } from '../../contract/provider-paths.ts';
import type { Reconciler } from '../../kernel/types.ts';
import type { Kubernetes } from '../../kubernetes/port.ts';

/** What the suites of all generations need. */
export interface CommonSetup {
  /** Default: `<lower-case kind>.<group>`. */
  readonly finalizer?: string;
  /** Asked when a case runs: a server with the CRDs of Cluster API and of the provider. */
  readonly kubernetes: () => Kubernetes;
  /** It exists, and no controller works in it. Its objects named `conformance-…` come and go. */
  readonly namespace: string;
  /** The time; from there on the suite steps it, and never sleeps. */
  readonly now: () => Instant;
  /** Distinguishes the objects of this run from those of earlier ones. */
  readonly newId: () => string;
  /**
   * Of an object that becomes ready. A function makes one for each object of the suite, which are counted from 0: for clouds in
   * which two objects cannot share a value. Default: empty.
   */
  readonly spec?: SuiteSpec | ((index: number) => SuiteSpec);
  readonly annotations?: Readonly<Record<string, string>>;
  /** Dotted paths, such as `status.networkId`, of what differs from object to object: ids and addresses that a cloud chooses. */
  readonly varies?: readonly string[];
  /** Patches of the object, or acts on the provider's cloud, that break what stands behind it and mend it again. */
  readonly failure?: { readonly inject: Step; readonly mend: Step };
  /** What makes the author's code throw `Terminal`. */
  readonly terminal?: { readonly inject: Step };
}

export interface ConformanceSetup extends CommonSetup {
  /** What `defineInfrastructureProvider` returned. */
  readonly provider: Reconciler<unknown, object>;
  readonly contract: ProviderContract;
  readonly endpoint: 'provided' | 'fromCluster';
  /** Names of the failure domains that such an object reports. Default: they are not compared. */
  readonly failureDomains?: readonly string[];
}

export interface ActuatorConformanceSetup extends CommonSetup {
  /** What `defineClusterActuator` returned. */
  readonly actuator: Reconciler<unknown, object>;
  /** Whether the object shows all that `reconcile` brings about. Default: it shows nothing that could be looked at. */
  readonly isReady?: (object: Unstructured) => boolean;
  /** One of the kinds that go before the Cluster, and a spec that its definition accepts. Default: no case has children. */
  readonly child?: { readonly kind: string; readonly spec?: Readonly<Record<string, unknown>> };
}

export type SuiteSpec = Readonly<Record<string, unknown>>;

/** A function is handed the name of the object; it mends everything when that is "". */
export type Step = MergePatch | ((name: string) => Promise<void>);

/** For any test runner: `for (const { name, run } of cases) test(name, run)`. */
export interface ConformanceCase {
  readonly name: string;
  /** Rejects with an Error that says what was expected and what was found. */
  run(): Promise<void>;
}
