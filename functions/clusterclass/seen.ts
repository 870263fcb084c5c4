// The result of observe for one ClusterClass: the input of decide and report.
import type { Answer, Checked, ObjectMeta } from '@capi-serverless/apimachinery';
import type { ClusterClass } from '../../shared/api/cluster-class/reader.ts';
import type { TemplateRef } from '../../shared/api/topology-parts.ts';
import type { ClusterClassVariable } from '../../shared/variables/index.ts';

/** How this deployment treats all ClusterClasses. */
export interface Settings {
  /** Extensions are called for the variables that they define. */
  readonly callsExtensions: boolean;
}

/** A template that the class names, and the version in which the contract of its kind requires it to be named. */
export interface Template {
  readonly ref: TemplateRef;
  readonly object: Answer<ObjectMeta>;
  readonly latest: Checked<string>;
}

/** What the extension behind one patch answered. */
export interface Discovery {
  readonly patch: string;
  readonly variables: Checked<readonly ClusterClassVariable[]>;
}

export interface WholeView {
  readonly step: 'whole';
  readonly clusterClass: ClusterClass;
  /** In the order in which the class names them, each once. */
  readonly templates: readonly Template[];
  /** In the order of the patches. */
  readonly discoveries: readonly Discovery[];
}

export type Seen =
  /** The Paused condition is missing or outdated; it is the only write of the pass. */
  { readonly step: 'pausedCondition'; readonly clusterClass: ClusterClass } | WholeView;
