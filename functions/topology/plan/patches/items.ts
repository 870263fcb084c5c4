// The templates that the patches of one topology change. Each use of a template is one item with its own copy.

import {
  type Checked,
  type Intent,
  invalid,
  type JsonObject,
  quote,
  toDisplayName,
  toRecord,
  type Unstructured,
  valid,
  withoutUndefined,
} from '@capi-serverless/apimachinery';
import { PatchError } from '@capi-serverless/apimachinery/json-patch';
import { clusterApiVersion } from '../../../../shared/api/cluster/reader.ts';
import type { HolderReference } from '../../../../shared/runtime-hooks/rules/requests.ts';
import type { Blueprint } from '../../../../shared/topology/model/blueprint.ts';
import type { Desired } from '../desired/desired-topology.ts';
import { clusterBuiltins, controlPlaneBuiltins, withoutCopies, workerBuiltins } from './builtins.ts';
import { PatchDraft } from './draft.ts';
import { guarded, type PatchBudget } from './patch-limits.ts';
import type { VariableList } from './visible-variables.ts';

/** The object of the topology that is created from the template. */
export type TemplateRole =
  | { readonly is: 'infrastructureCluster' }
  | { readonly is: 'controlPlane' }
  | { readonly is: 'controlPlaneMachines' }
  | {
      readonly is: 'machineDeployment' | 'machinePool';
      /** The name of the topology. */
      readonly name: string;
      readonly class: string;
      readonly part: 'bootstrap' | 'infrastructure';
    };

export interface PatchItem {
  /** The uid is the same in every run over the same topology. */
  readonly uid: string;
  readonly role: TemplateRole;
  readonly holder: HolderReference;
  readonly apiVersion: string;
  readonly kind: string;
  /** The object that is created from the template. */
  readonly desired: Intent;
  /** Undefined for the infrastructure cluster, which has no specific variables. */
  readonly variables: VariableList | undefined;
  /** The template after the previous patches. */
  draft: PatchDraft;
  /** The number of operations that were applied. */
  operations: number;
}

export interface PatchItems {
  /** The variables for all items. */
  readonly variables: VariableList;
  /**
   * The order is: infrastructure cluster, control plane, its machines, then MachineDeployments and MachinePools in the
   * order of the topology.
   */
  readonly items: readonly PatchItem[];
}

/** The error names the template that cannot be patched, or the worker without a class. */
export function toPatchItems(blueprint: Blueprint, desired: Desired, budget: PatchBudget): Checked<PatchItems> {
  return guarded(() => {
    const builder = new ItemBuilder(blueprint, budget);
    builder.addCluster(desired);
    const problem = builder.addMachineDeployments(desired) ?? builder.addMachinePools(desired);
    const variables = { values: blueprint.variables.cluster, builtin: clusterBuiltins(blueprint, desired) };
    return problem === undefined ? valid({ variables, items: builder.items }) : invalid(problem);
  });
}

interface Use {
  readonly role: TemplateRole;
  readonly template: Unstructured;
  /** The object that is created from the template. */
  readonly desired: Intent;
  readonly holder: HolderReference;
  readonly variables?: VariableList;
}

class ItemBuilder {
  readonly items: PatchItem[] = [];
  readonly #blueprint: Blueprint;
  readonly #budget: PatchBudget;

  constructor(blueprint: Blueprint, budget: PatchBudget) {
    this.#blueprint = blueprint;
    this.#budget = budget;
  }

  addCluster(desired: Desired): void {
    const { cluster, infrastructureCluster, controlPlane, variables } = this.#blueprint;
    const holder = { apiVersion: clusterApiVersion, kind: 'Cluster', ...namesOf(cluster.metadata) };
    this.#add({
      role: { is: 'infrastructureCluster' },
      template: infrastructureCluster.template,
      desired: desired.infrastructureCluster,
      holder: { ...holder, fieldPath: 'spec.infrastructureRef' },
    });
    const list = { values: variables.controlPlane, builtin: controlPlaneBuiltins(this.#blueprint, desired) };
    const { object, machineTemplate } = desired.controlPlane;
    this.#add({
      role: { is: 'controlPlane' },
      template: controlPlane.template,
      desired: object,
      holder: { ...holder, fieldPath: 'spec.controlPlaneRef' },
      variables: list,
    });
    if (controlPlane.machineTemplate !== undefined && machineTemplate !== undefined) {
      this.#add({
        role: { is: 'controlPlaneMachines' },
        template: controlPlane.machineTemplate,
        desired: machineTemplate,
        holder: { ...holderOf(object), fieldPath: machineReferencePaths[controlPlane.contract] },
        variables: list,
      });
    }
  }

  /** Returns undefined, or the error about a missing topology or class. */
  addMachineDeployments({ machineDeployments }: Desired): string | undefined {
    for (const [name, { object, bootstrapTemplate, infrastructureTemplate }] of machineDeployments) {
      const problem = this.#addWorker('machineDeployment', name, {
        object,
        bootstrap: bootstrapTemplate,
        infrastructure: infrastructureTemplate,
      });
      if (problem !== undefined) {
        return problem;
      }
    }
    return undefined;
  }

  /** Returns undefined, or the error about a missing topology or class. */
  addMachinePools({ machinePools }: Desired): string | undefined {
    for (const [name, { object, bootstrapObject, infrastructureObject }] of machinePools) {
      const problem = this.#addWorker('machinePool', name, {
        object,
        bootstrap: bootstrapObject,
        infrastructure: infrastructureObject,
      });
      if (problem !== undefined) {
        return problem;
      }
    }
    return undefined;
  }

  #addWorker(
    is: 'machineDeployment' | 'machinePool',
    name: string,
    objects: { readonly object: Intent; readonly bootstrap: Intent; readonly infrastructure: Intent },
  ): string | undefined {
    const { list, kind } = workerLists[is];
    const topology = this.#blueprint.topology.workers[list].find(each => each.name === name);
    if (topology === undefined) {
      return `failed to lookup ${kind} topology ${quote(name)} in Cluster.spec.topology.workers.${list}`;
    }
    const templates = this.#blueprint[list].get(topology.class);
    if (templates === undefined) {
      return `failed to lookup ${kind} class ${quote(topology.class)} in ClusterClass`;
    }
    const variables = {
      values: this.#blueprint.variables[list].get(name) ?? [],
      builtin: { [is]: workerBuiltins({ topology, ...objects }) },
    };
    for (const part of ['bootstrap', 'infrastructure'] as const) {
      this.#add({
        role: { is, name, class: topology.class, part },
        template: templates[part],
        desired: objects[part],
        holder: {
          apiVersion: clusterApiVersion,
          kind,
          ...namesOf(objects.object.metadata),
          fieldPath: partPaths[part],
        },
        variables,
      });
    }
    return undefined;
  }

  #add({ role, template, desired, holder, variables }: Use): void {
    const { apiVersion, kind } = template;
    this.items.push({
      uid: uidOf(role),
      role,
      holder,
      apiVersion,
      kind,
      desired,
      variables,
      draft: this.#draft(template, desired, role),
      operations: 0,
    });
  }

  #draft(template: Unstructured, desired: Intent, role: TemplateRole): PatchDraft {
    const draft = guarded(() => valid(new PatchDraft(toRequestObject(template, desired, role), this.#budget)));
    if (draft.ok) {
      return draft.value;
    }
    const user = 'name' in role ? ` for ${workerLists[role.is].kind} topology ${role.name}` : '';
    const name = toDisplayName(template.metadata);
    throw new PatchError(`failed to prepare ${template.kind} ${name}${user} for patching: ${draft.error}`);
  }
}

const workerLists = {
  machineDeployment: { list: 'machineDeployments', kind: 'MachineDeployment' },
  machinePool: { list: 'machinePools', kind: 'MachinePool' },
} as const;

const partPaths = {
  bootstrap: 'spec.template.spec.bootstrap.configRef',
  infrastructure: 'spec.template.spec.infrastructureRef',
} as const;

const machineReferencePaths = {
  v1beta1: 'spec.machineTemplate.infrastructureRef',
  v1beta2: 'spec.machineTemplate.spec.infrastructureRef',
} as const;

function uidOf(role: TemplateRole): string {
  return 'name' in role ? `${role.is}/${role.name}/${role.part}` : role.is;
}

function namesOf({ namespace = '', name }: { readonly namespace?: string; readonly name: string }) {
  return { namespace, name };
}

function holderOf({ apiVersion, kind, metadata }: Intent) {
  return { apiVersion, kind, ...namesOf(metadata) };
}

/**
 * Returns true if the template becomes an object of the kind without `Template`. Otherwise it becomes another template.
 */
export function becomesObject({ is }: TemplateRole): boolean {
  return is === 'infrastructureCluster' || is === 'controlPlane' || is === 'machinePool';
}

/** Returns the template of the class, with the labels and annotations of its use. */
function toRequestObject(template: Unstructured, desired: Intent, role: TemplateRole): JsonObject {
  const { managedFields: _, annotations, ...stored } = toRecord(template.metadata);
  const { labels, annotations: desiredAnnotations } = desired.metadata;
  const wanted = { ...(labels && { labels }), ...(desiredAnnotations && { annotations: desiredAnnotations }) };
  const own = { ...stored, ...withoutUndefined({ annotations }) };
  if (!becomesObject(role)) {
    return { ...template, metadata: withShownAnnotations({ ...own, ...wanted }) };
  }
  const spec = toRecord(template.spec);
  const below = toRecord(spec['template']);
  const metadata = { ...toRecord(below['metadata']), ...wanted };
  return {
    ...template,
    metadata: withShownAnnotations(own),
    spec: { ...spec, template: { ...below, metadata } },
  };
}

function withShownAnnotations({ annotations, ...metadata }: JsonObject): JsonObject {
  const shown = withoutCopies(toRecord(annotations));
  return Object.keys(shown).length === 0 ? metadata : { ...metadata, annotations: shown };
}
