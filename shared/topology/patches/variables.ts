// Which variables a patch sees, and which value of them for which template.
import type { JsonObject } from '../../api/json.ts';
import type { HookVariable } from '../../runtime-hooks/rules/requests.ts';
import type { ClusterVariable, StatusVariable } from '../../variables/index.ts';
import type { ClassPatch } from '../model/class-spec.ts';

/** One list of variables: for all templates, or for some. */
export interface VariableList {
  readonly values: readonly ClusterVariable[];
  /** Its part of `builtin`: `cluster`, `controlPlane`, `machineDeployment` or `machinePool`. */
  readonly builtin: JsonObject;
}

/** What templates and `valueFrom.variable` look into: every variable by its name, and `builtin`. */
export type VariableData = JsonObject;

const builtinName = 'builtin';

/** Who defines the variables that this patch may see: the name of an external patch, or `inline`. */
export function sourceOf(patch: ClassPatch): string {
  return patch.external === undefined ? 'inline' : patch.name;
}

/** The variables of one source. Lists are filtered once for all patches that see the same. */
export class VisibleVariables {
  readonly #names: ReadonlySet<string>;
  readonly #lists = new Map<VariableList, readonly HookVariable[]>();
  readonly #data = new Map<VariableList | undefined, VariableData>();

  constructor(definitions: readonly StatusVariable[], source: string) {
    const visible = definitions.filter(variable => variable.definitions.some(({ from }) => from === source));
    this.#names = new Set(visible.map(({ name }) => name).filter(name => name !== builtinName));
  }

  /** As extensions are sent it, `builtin` last. */
  listOf(list: VariableList): readonly HookVariable[] {
    const known = this.#lists.get(list) ?? [
      ...list.values.filter(({ name }) => this.#names.has(name)).map(({ name, value }) => ({ name, value })),
      { name: builtinName, value: list.builtin },
    ];
    this.#lists.set(list, known);
    return known;
  }

  /** `own` over `all`, each value as a whole; of `builtin` both have their parts. */
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
