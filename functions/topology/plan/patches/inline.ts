// Computes the operations of inline patches of a ClusterClass for each template.
import { type Checked, invalid, quote, toAggregateText, valid } from '@capi-serverless/apimachinery';
import { type Operation, type Pointer, toPointer } from '@capi-serverless/apimachinery/json-patch';
import type {
  ClassPatch,
  JsonPatchDefinition,
  PatchDefinition,
  PatchSelector,
} from '../../../../shared/api/cluster-class/class-spec.ts';
import { matchesClassName } from '../../../../shared/topology/model/class-name-pattern.ts';
import type { PatchItem, PatchItems, TemplateRole } from './items.ts';
import { countOperations, guarded, type PatchBudget } from './patch-limits.ts';
import type { ValueTemplates } from './value-templates.ts';
import { type Calculating, calculateValue, isEnabled } from './values.ts';
import type { VariableData, VisibleVariables } from './visible-variables.ts';

interface Generating {
  readonly request: PatchItems;
  readonly visible: VisibleVariables;
  readonly templates: ValueTemplates;
  readonly budget: PatchBudget;
}

/** The operations of one patch definition for one template. */
export interface Generated {
  readonly item: PatchItem;
  readonly operations: readonly Operation[];
  /** The place in the patch, for example `definitions[0]`. */
  readonly definition: string;
}

interface Definition {
  readonly selector: PatchDefinition['selector'];
  readonly name: string;
  readonly patches: readonly { readonly patch: JsonPatchDefinition; readonly path: Pointer; readonly name: string }[];
}

/** The maximum number of reported errors. Each error may contain a whole template. */
const mostErrors = 20;
const longestError = 4096;

/**
 * Results are in the order of templates, then of definitions. Errors have no duplicates and are limited to the maximum.
 */
export function generate(patch: ClassPatch, generating: Generating): Checked<readonly Generated[]> {
  const definitions = (patch.definitions ?? []).map(prepare);
  const generated: Generated[] = [];
  const errors = new Set<string>();
  for (const item of generating.request.items) {
    const outcome = generateFor(item, definitions, { patch, ...generating });
    generated.push(...outcome.generated);
    for (const error of outcome.errors) {
      errors.add(error.length > longestError ? `${error.slice(0, longestError)}…` : error);
    }
    if (errors.size > mostErrors) {
      break;
    }
  }
  if (errors.size === 0) {
    return valid(generated);
  }
  const [...all] = errors;
  return invalid(toAggregateText(all.length > mostErrors ? [...all.slice(0, mostErrors), 'and more'] : all));
}

function prepare({ selector, jsonPatches }: PatchDefinition, index: number): Definition {
  const name = `definitions[${index}]`;
  return {
    selector,
    name,
    patches: jsonPatches.map((patch, at) => ({
      patch,
      path: toPointer(patch.path),
      name: `${name}.jsonPatches[${at}]`,
    })),
  };
}

interface Outcome {
  readonly generated: readonly Generated[];
  readonly errors: readonly string[];
}

function generateFor(
  item: PatchItem,
  definitions: readonly Definition[],
  { patch, request, visible, templates, budget }: Generating & { readonly patch: ClassPatch },
): Outcome {
  const selected = definitions.filter(({ selector }) => isSelected(item, selector));
  if (selected.length === 0) {
    return { generated: [], errors: [] };
  }
  const variables = visible.dataOf(request.variables, item.variables);
  const enabled = guarded(() => isEnabled(patch.enabledIf, variables, templates));
  if (!enabled.ok) {
    const error = `failed to calculate if patch is enabled for ${quote(item.kind)}: ${enabled.error}`;
    return { generated: [], errors: [error] };
  }
  const outcomes = (enabled.value ? selected : []).map(definition => {
    const operations = toOperations(definition, { item, variables, templates, budget });
    return operations.ok
      ? { generated: [{ item, operations: operations.value, definition: definition.name }], errors: [] }
      : { generated: [], errors: [`failed to generate JSON patches for ${quote(item.kind)}: ${operations.error}`] };
  });
  return {
    generated: outcomes.flatMap(({ generated }) => generated),
    errors: outcomes.flatMap(({ errors }) => errors),
  };
}

interface For {
  readonly item: PatchItem;
  readonly variables: VariableData;
  readonly templates: ValueTemplates;
  readonly budget: PatchBudget;
}

/** Stops at the first error. */
function toOperations(
  { patches }: Definition,
  { item, variables, templates, budget }: For,
): Checked<readonly Operation[]> {
  const operations: Operation[] = [];
  for (const { patch, path, name: place } of patches) {
    const operation = guarded(() => {
      countOperations(item, 1, budget);
      return toOperation(patch, path, { variables, templates, place });
    }, place);
    if (!operation.ok) {
      return operation;
    }
    operations.push(operation.value);
  }
  return valid(operations);
}

function toOperation(patch: JsonPatchDefinition, path: Pointer, calculating: Calculating): Checked<Operation> {
  const { op } = patch;
  if (op === 'remove') {
    return valid({ op, path });
  }
  if (op !== 'add' && op !== 'replace') {
    return invalid(`unsupported operation ${quote(op)} (${calculating.place})`);
  }
  const value = calculateValue(patch, calculating);
  return value.ok ? valid({ op, path, value: value.value }) : value;
}

/** Matches the kind in exactly this version, and a use of the template that the selector names. */
function isSelected({ apiVersion, kind, role }: PatchItem, selector: PatchSelector): boolean {
  return selector.apiVersion === apiVersion && selector.kind === kind && isMatched(role, selector.matchResources);
}

function isMatched(role: TemplateRole, match: PatchSelector['matchResources']): boolean {
  switch (role.is) {
    case 'infrastructureCluster':
      return match.infrastructureCluster;
    case 'controlPlane':
    case 'controlPlaneMachines':
      return match.controlPlane;
    case 'machineDeployment':
      return isNamed(role.class, match.machineDeploymentClass.names);
    case 'machinePool':
      return isNamed(role.class, match.machinePoolClass.names);
  }
}

function isNamed(name: string, patterns: readonly string[]): boolean {
  return patterns.some(pattern => matchesClassName(name, pattern));
}
