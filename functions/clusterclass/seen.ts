// The result of observe for one ClusterClass: the input of decide and report.
import type { Answer, Checked, ObjectMeta } from '@capi-serverless/apimachinery';
import type { ClusterClass } from '../../shared/api/cluster-class/reader.ts';
import type { TemplateRef } from '../../shared/api/topology-parts.ts';
import type { ClusterClassVariable, StatusVariable } from '../../shared/variables/index.ts';

/** The settings for all ClusterClasses of this deployment. */
export interface ClusterClassSettings {
  /** Whether extensions are called for the variables that they define. */
  readonly callsExtensions: boolean;
}

/** A template that the class references, and the version that its contract requires in the reference. */
export interface ClassTemplate {
  readonly ref: TemplateRef;
  readonly object: Answer<ObjectMeta>;
  readonly latest: Checked<string>;
}

/** The answer of the extension for one patch. */
export interface Discovery {
  readonly patch: string;
  readonly variables: Checked<readonly ClusterClassVariable[]>;
}

/**
 * `errors`: the reasons why there is no list. `known`: the list for the status, and the names of variables with
 * conflicting schemas.
 */
export type Variables =
  | { readonly state: 'errors'; readonly errors: readonly string[] }
  | { readonly state: 'known'; readonly list: readonly StatusVariable[]; readonly conflicts: readonly string[] };

export interface ObservedClass {
  readonly clusterClass: ClusterClass;
  /** All referenced templates, in the order of the class, without duplicates. */
  readonly templates: readonly ClassTemplate[];
  readonly variables: Variables;
}
