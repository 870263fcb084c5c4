// One run of all patches over the templates of one topology. It contains the input of each patch and the current
// templates.
import { type Checked, valid, type WorkMeter } from '@capi-serverless/apimachinery';
import type { ClassPatch } from '../../../../shared/api/cluster-class/class-spec.ts';
import type {
  GeneratePatchesRequest,
  ValidateTopologyRequest,
} from '../../../../shared/runtime-hooks/rules/requests.ts';
import type { GeneratePatchesResponse } from '../../../../shared/runtime-hooks/rules/response-schemas.ts';
import type { Blueprint } from '../../../../shared/topology/model/blueprint.ts';
import type { StatusVariable } from '../../../../shared/variables/index.ts';
import type { Desired } from '../desired/desired-topology.ts';
import { applyGenerated, applyResponse } from './apply.ts';
import { type Generated, generate } from './inline.ts';
import { type PatchItems, toPatchItems } from './items.ts';
import { PatchBudget, type PatchLimits } from './patch-limits.ts';
import { ValueTemplates } from './value-templates.ts';
import { sourceOf, VisibleVariables } from './visible-variables.ts';
import { writeBack } from './write-back.ts';

/** A run is invalid after its first error. */
export class PatchRun {
  readonly #desired: Desired;
  readonly #definitions: readonly StatusVariable[];
  readonly #request: PatchItems;
  readonly #budget: PatchBudget;
  readonly #visible = new Map<string, VisibleVariables>();
  readonly templates: ValueTemplates;

  private constructor(of: {
    readonly blueprint: Blueprint;
    readonly desired: Desired;
    readonly request: PatchItems;
    readonly budget: PatchBudget;
  }) {
    this.#desired = of.desired;
    this.#definitions = of.blueprint.definitions;
    this.#request = of.request;
    this.#budget = of.budget;
    this.templates = new ValueTemplates(of.budget);
  }

  /** The error names the template that cannot be patched. */
  static start(
    blueprint: Blueprint,
    desired: Desired,
    { limits, meter }: { readonly limits?: PatchLimits; readonly meter?: WorkMeter | undefined } = {},
  ): Checked<PatchRun> {
    const budget = new PatchBudget(limits, meter);
    const request = toPatchItems(blueprint, desired, budget);
    return request.ok ? valid(new PatchRun({ blueprint, desired, request: request.value, budget })) : request;
  }

  /** Returns the operations of an inline patch for each template. All errors are joined into one. */
  generate(patch: ClassPatch): Checked<readonly Generated[]> {
    return generate(patch, {
      request: this.#request,
      visible: this.#visibleTo(patch),
      templates: this.templates,
      budget: this.#budget,
    });
  }

  /** Returns the error, or undefined. */
  applyGenerated(generated: readonly Generated[]): string | undefined {
    return applyGenerated(generated, this.#budget);
  }

  /** Returns the request to the extension of an external patch. */
  generateRequest(patch: ClassPatch): GeneratePatchesRequest {
    const { variables, items } = this.#requestOf(patch);
    return { variables, items: items.map(({ item, ...sent }) => ({ uid: item.uid, ...sent })) };
  }

  /** Returns the error, or undefined. */
  applyResponse(response: GeneratePatchesResponse['items']): string | undefined {
    return applyResponse(response, this.#request.items, this.#budget);
  }

  /** The request has no uids, because the response changes nothing. */
  validateRequest(patch: ClassPatch): ValidateTopologyRequest {
    const { variables, items } = this.#requestOf(patch);
    return { variables, items: items.map(({ item: _, ...sent }) => sent) };
  }

  /** Returns the desired objects, derived from the patched templates. */
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
