// Value templates are rendered and then parsed as YAML. Each template is parsed once. It is rendered once per distinct
// set of used variables. Each output is parsed once.
import { bytesPerUnit, type Checked, invalid, mapChecked, quote, valid } from '@capi-serverless/apimachinery';
import {
  decodeYaml11,
  defaultLimits,
  type ParsedTemplate,
  parseTemplate,
  type RenderLimits,
  renderTemplate,
  unitsPerStep,
} from '@capi-serverless/go-template';
import type { PatchBudget } from './patch-limits.ts';
import { usedVariables } from './used-variables.ts';
import type { VariableData } from './visible-variables.ts';

interface Prepared {
  readonly template: ParsedTemplate;
  readonly uses: ReadonlySet<string> | 'all';
  /** The cached values. Keys are the identities of the used variables. */
  readonly values: Map<string, Checked<unknown>>;
}

/** The number of runs of each operation, for the bench and for tests that limit the counts. */
interface TemplateCounts {
  readonly parsed: number;
  readonly rendered: number;
  readonly decoded: number;
}

/** Each character of a template is read several times, and each step of YAML creates several objects. */
const unitsPerParsedCharacter = 20;
const unitsPerYamlStep = 2 * unitsPerStep;

export class ValueTemplates {
  readonly #budget: PatchBudget;
  readonly #limits: RenderLimits;
  readonly #prepared = new Map<string, Checked<Prepared>>();
  readonly #decoded = new Map<string, Checked<unknown>>();
  readonly #identities = new WeakMap<object, number>();
  #lastIdentity = 0;
  #rendered = 0;

  constructor(budget: PatchBudget) {
    this.#budget = budget;
    this.#limits = { ...defaultLimits, meter: budget.meter };
  }

  /** `variables` are immutable. Throws PatchError if the value is too large. */
  evaluate(text: string, variables: VariableData): Checked<unknown> {
    const prepared = this.#prepared.get(text) ?? this.#prepare(text);
    this.#prepared.set(text, prepared);
    if (!prepared.ok) {
      return prepared;
    }
    const { uses, values } = prepared.value;
    const key = this.#keyOf(uses, variables);
    const value = values.get(key) ?? this.#render(prepared.value, pick(uses, variables));
    values.set(key, value);
    return value;
  }

  get counts(): TemplateCounts {
    return { parsed: this.#prepared.size, rendered: this.#rendered, decoded: this.#decoded.size };
  }

  #prepare(text: string): Checked<Prepared> {
    this.#budget.meter.charge(text.length * unitsPerParsedCharacter);
    return prepare(text);
  }

  #render({ template }: Prepared, variables: VariableData): Checked<unknown> {
    this.#rendered += 1;
    const rendered = renderTemplate(template, variables, this.#limits);
    if (!rendered.ok) {
      return invalid(`failed to render template: ${shown(template.text)}: ${rendered.error}`);
    }
    const value = this.#decoded.get(rendered.value) ?? this.#decode(rendered.value);
    this.#decoded.set(rendered.value, value);
    return value;
  }

  #decode(output: string): Checked<unknown> {
    this.#budget.make(output.length);
    const { meter } = this.#budget;
    const decoded = decodeYaml11(output, {
      spend: steps => meter.charge(steps * unitsPerYamlStep),
      hold: bytes => meter.charge(bytes / bytesPerUnit),
    });
    return decoded.ok
      ? valid(decoded.value)
      : invalid(`failed to unmarshal rendered template: ${shown(output)}: ${decoded.error}`);
  }

  #keyOf(uses: Prepared['uses'], variables: VariableData): string {
    const used = uses === 'all' ? [variables] : [...uses].map(name => ownMember(variables, name));
    return used.map(value => this.#identify(value)).join();
  }

  /** Returns the same id for values with the same rendered output. Objects are compared by identity. */
  #identify(value: unknown): string {
    if (typeof value !== 'object' || value === null) {
      this.#budget.meter.charge(unitsPerStep + (typeof value === 'string' ? value.length : 0));
      return value === undefined ? '' : JSON.stringify(value);
    }
    const known = this.#identities.get(value) ?? this.#lastIdentity + 1;
    this.#lastIdentity = Math.max(known, this.#lastIdentity);
    this.#identities.set(value, known);
    return `#${known}`;
  }
}

function prepare(text: string): Checked<Prepared> {
  const parsed = parseTemplate(text, { name: 'tpl', functions: 'sprig', missingKey: 'default' });
  return parsed.ok
    ? mapChecked(parsed, template => ({ template, uses: usedVariables(template), values: new Map() }))
    : invalid(`failed to parse template: ${shown(text)}: ${parsed.error}`);
}

/** Longer texts add no information. Errors are written to a condition. */
const longestShown = 2048;

function shown(text: string): string {
  return text.length > longestShown ? `${quote(text.slice(0, longestShown))}…` : quote(text);
}

function ownMember(variables: VariableData, name: string): unknown {
  return Object.hasOwn(variables, name) ? variables[name] : undefined;
}

function pick(uses: Prepared['uses'], variables: VariableData): VariableData {
  return uses === 'all' ? variables : Object.fromEntries(Object.entries(variables).filter(([name]) => uses.has(name)));
}
