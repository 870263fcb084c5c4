// What observe knows of one ClusterClass: everything that decide and report conclude from.
import type { Answer } from '../../shared/api/answer.ts';
import type { Checked } from '../../shared/api/checked.ts';
import type { ClusterClass, TemplateReference } from '../../shared/api/cluster-class/reader.ts';
import type { ObjectMeta } from '../../shared/api/object.ts';
import type { ClusterClassVariable } from '../../shared/variables/index.ts';

/** How this deployment treats all ClusterClasses. */
export interface Settings {
  /** Extensions are asked which variables they define. */
  readonly callsExtensions: boolean;
}

/** A template that the class names, and the version in which the contract of its kind wants it named. */
export interface Template {
  readonly ref: TemplateReference;
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
  /** The Paused condition has to be written, alone. */
  { readonly step: 'pausedCondition'; readonly clusterClass: ClusterClass } | WholeView;
