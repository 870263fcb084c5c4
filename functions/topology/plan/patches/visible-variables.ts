// The variables that a patch can use, and their values for each template.
import type { JsonObject } from '@capi-serverless/apimachinery';
import type { ClassPatch } from '../../../../shared/api/cluster-class/class-spec.ts';
import type { HookVariable } from '../../../../shared/runtime-hooks/rules/requests.ts';
import type { ClusterVariable, StatusVariable } from '../../../../shared/variables/index.ts';

/** A list of variables for all templates or for some of them. */
export interface VariableList {
  readonly values: readonly ClusterVariable[];
  /** The part of `builtin` for these templates: `cluster`, `controlPlane`, `machineDeployment` or `machinePool`. */
  readonly builtin: JsonObject;
}

/** The data of templates and of `valueFrom.variable`: every variable by name, and `builtin`. */
export type VariableData = JsonObject;

const builtinName = 'builtin';

/** The source of the variable definitions of this patch: the name of an external patch, or `inline`. */
export function sourceOf(patch: ClassPatch): string {
  return patch.external === undefined ? 'inline' : patch.name;
}

/** The variables of one source. Lists are filtered once for all patches with the same source. */
export class VisibleVariables {
  readonly #names: ReadonlySet<string>;
  readonly #lists = new Map<VariableList, readonly HookVariable[]>();
  readonly #data = new Map<VariableList | undefined, VariableData>();

  constructor(definitions: readonly StatusVariable[], source: string) {
    const visible = definitions.filter(variable => variable.definitions.some(({ from }) => from === source));
    this.#names = new Set(visible.map(({ name }) => name).filter(name => name !== builtinName));
  }

  /** Returns the list in the form that is sent to extensions. `builtin` is the last item. */
  listOf(list: VariableList): readonly HookVariable[] {
    const known = this.#lists.get(list) ?? [
      ...list.values.filter(({ name }) => this.#names.has(name)).map(({ name, value }) => ({ name, value })),
      { name: builtinName, value: list.builtin },
    ];
    this.#lists.set(list, known);
    return known;
  }

  /** Each value in `own` replaces the value in `all` completely. `builtin` contains the parts of both. */
  dataOf(all: VariableList, own: VariableList | undefined): VariableData {
    const known = this.#data.get(own) ?? this.#merge(all, own);
    this.#data.set(own, known);
    return known;
  }

  #merge(all: VariableList, own: VariableList | undefined): VariableData {
    const lists = own === undefined ? [all] : [all, own];
    const values = lists.flatMap(list => this.listOf(list).map(({ name, value }) => [name, value] as const));
    return Object.fromEntries([...values, [builtinName, { ...all.builtin, ...own?.builtin }]]);
  }
}
