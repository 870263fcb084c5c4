// One run of all patches over the templates of one topology: what each sees, and what the templates have become so far.
import { type Checked, valid } from '../../api/checked.ts';
import type { GeneratePatchesRequest, ValidateTopologyRequest } from '../../runtime-hooks/rules/requests.ts';
import type { GeneratePatchesResponse } from '../../runtime-hooks/rules/response-schemas.ts';
import type { StatusVariable } from '../../variables/index.ts';
import type { Blueprint } from '../model/blueprint.ts';
import type { ClassPatch } from '../model/class-spec.ts';
import type { Desired } from '../model/desired.ts';
import { applyGenerated, applyResponse } from './apply.ts';
import { type Generated, generate } from './inline.ts';
import { type PatchItems, toPatchItems } from './items.ts';
import { Budget, type PatchLimits } from './limits.ts';
import { ValueTemplates } from './templates.ts';
import { sourceOf, VisibleVariables } from './variables.ts';
import { writeBack } from './write-back.ts';

/** After the first error a run is of no use any more. */
export class PatchRun {
  readonly #desired: Desired;
  readonly #definitions: readonly StatusVariable[];
  readonly #request: PatchItems;
  readonly #budget: Budget;
  readonly #visible = new Map<string, VisibleVariables>();
  readonly templates: ValueTemplates;

  private constructor(of: {
    readonly blueprint: Blueprint;
    readonly desired: Desired;
    readonly request: PatchItems;
    readonly budget: Budget;
  }) {
    this.#desired = of.desired;
    this.#definitions = of.blueprint.definitions;
    this.#request = of.request;
    this.#budget = of.budget;
    this.templates = new ValueTemplates(of.budget);
  }

  /** The error says which template cannot be patched. */
  static start(blueprint: Blueprint, desired: Desired, limits?: PatchLimits): Checked<PatchRun> {
    const budget = new Budget(limits);
    const request = toPatchItems(blueprint, desired, budget);
    return request.ok ? valid(new PatchRun({ blueprint, desired, request: request.value, budget })) : request;
  }

  /** What an inline patch does to each template. All its errors as one. */
  generate(patch: ClassPatch): Checked<readonly Generated[]> {
    return generate(patch, {
      request: this.#request,
      visible: this.#visibleTo(patch),
      templates: this.templates,
      budget: this.#budget,
    });
  }

  /** What was wrong, or undefined. */
  applyGenerated(generated: readonly Generated[]): string | undefined {
    return applyGenerated(generated, this.#budget);
  }

  /** What the extension of an external patch is sent. */
  generateRequest(patch: ClassPatch): GeneratePatchesRequest {
    const { variables, items } = this.#requestOf(patch);
    return { variables, items: items.map(({ item, ...sent }) => ({ uid: item.uid, ...sent })) };
  }

  /** What was wrong, or undefined. */
  applyResponse(response: GeneratePatchesResponse['items']): string | undefined {
    return applyResponse(response, this.#request.items, this.#budget);
  }

  /** Without uids: nothing is changed any more. */
  validateRequest(patch: ClassPatch): ValidateTopologyRequest {
    const { variables, items } = this.#requestOf(patch);
    return { variables, items: items.map(({ item: _, ...sent }) => sent) };
  }

  /** The desired objects as the patched templates make them. */
  finish(): Checked<Desired> {
    return writeBack(this.#desired, this.#request.items);
  }

  #requestOf(patch: ClassPatch) {
    const visible = this.#visibleTo(patch);
    return {
      variables: visible.listOf(this.#request.variables),
      items: this.#request.items.map(item => ({
        item,
        holderReference: item.holder,
        object: item.draft.share(),
        variables: item.variables === undefined ? [] : visible.listOf(item.variables),
      })),
    };
  }

  #visibleTo(patch: ClassPatch): VisibleVariables {
    const source = sourceOf(patch);
    const visible = this.#visible.get(source) ?? new VisibleVariables(this.#definitions, source);
    this.#visible.set(source, visible);
    return visible;
  }
}
