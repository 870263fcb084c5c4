// JSON in Go's form: keys are sorted, and `<`, `>` and `&` are escaped unless raw. https://pkg.go.dev/encoding/json
import { define, FunctionError, type FunctionTable } from '../call.ts';
import { formatMagnitude, isNegative } from '../float.ts';
import { isLimit, type RenderMeter, unitsPerStep } from '../limits.ts';
import { sortedEntries } from '../print.ts';
import { Dict, Int, List, Opaque, type TemplateValue, toValue } from '../value.ts';

interface Style {
  readonly pretty: boolean;
  readonly raw: boolean;
  readonly meter: RenderMeter;
}

function numberText(value: number): string {
  if (!Number.isFinite(value)) {
    throw new FunctionError(`json: unsupported value: ${Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'}`);
  }
  const magnitude = Math.abs(value);
  const isPlain = magnitude === 0 || (magnitude >= 1e-6 && magnitude < 1e21);
  const digits = formatMagnitude(value, isPlain ? 'f' : 'e', -1).replace(/e-0(\d)$/, 'e-$1');
  return (isNegative(value) ? '-' : '') + digits;
}

function stringText(text: string, raw: boolean): string {
  const quoted = JSON.stringify(text.replaceAll(/[\ud800-\udfff]/gu, '\ufffd'))
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
  return raw ? quoted : quoted.replaceAll(/[<>&]/g, each => `\\u00${each.charCodeAt(0).toString(16)}`);
}

function encoded(value: TemplateValue, style: Style, depth: number): string {
  style.meter.visit(depth);
  if (value === null || value === undefined || ((value instanceof Dict || value instanceof List) && value.isNil)) {
    return 'null';
  }
  if (typeof value === 'string') {
    style.meter.text(value.length);
    return stringText(value, style.raw);
  }
  if (typeof value === 'number') {
    return numberText(value);
  }
  if (typeof value === 'boolean') {
    return String(value);
  }
  if (value instanceof Int) {
    return value.value.toString();
  }
  if (value instanceof Opaque) {
    style.meter.text(value.json.length);
    return stringText(value.json, style.raw);
  }
  const colon = style.pretty ? ': ' : ':';
  const parts =
    value instanceof List
      ? value.items.map(item => encoded(item, style, depth + 1))
      : sortedEntries(value, style.meter).map(
          ([key, item]) => stringText(key, style.raw) + colon + encoded(item, style, depth + 1),
        );
  return bracketed(parts, { ends: value instanceof List ? '[]' : '{}', style, depth });
}

function bracketed(
  parts: readonly string[],
  { ends, style, depth }: { readonly ends: string; readonly style: Style; readonly depth: number },
): string {
  const [open = '', close = ''] = ends;
  const size = parts.reduce((sum, part) => sum + part.length + 1, 2);
  style.meter.text(size + (style.pretty ? parts.length * 2 * (depth + 1) : 0));
  if (!style.pretty || parts.length === 0) {
    return open + parts.join(',') + close;
  }
  const pad = `\n${'  '.repeat(depth + 1)}`;
  return `${open}${pad}${parts.join(`,${pad}`)}\n${'  '.repeat(depth)}${close}`;
}

function decoded(text: string, meter: RenderMeter): TemplateValue {
  meter.text(text.length);
  meter.createdFromJson(text);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new FunctionError('the text is not JSON');
  }
  try {
    return toValue(json, units => meter.spend(units / unitsPerStep));
  } catch (error) {
    // True: the text was JSON, so it is nested too deeply.
    throw isLimit(error) ? error : new FunctionError((error as Error).message);
  }
}

/** If parsing fails, the result is `nothing`. */
const orNothing = (make: () => TemplateValue, nothing: TemplateValue): TemplateValue => {
  try {
    return make();
  } catch (error) {
    if (error instanceof FunctionError) {
      return nothing;
    }
    throw error;
  }
};

const writes = (style: Omit<Style, 'meter'>) =>
  define(['any'], ([value], meter) => encoded(value, { ...style, meter }, 0));
const writesOrNothing = (style: Omit<Style, 'meter'>) =>
  define(['any'], ([value], meter) => orNothing(() => encoded(value, { ...style, meter }, 0), ''));

const compact = { pretty: false, raw: false };
const pretty = { pretty: true, raw: false };
const raw = { pretty: false, raw: true };

export const jsonFunctions: FunctionTable = {
  toJson: writesOrNothing(compact),
  toPrettyJson: writesOrNothing(pretty),
  toRawJson: writes(raw),
  mustToJson: writes(compact),
  mustToPrettyJson: writes(pretty),
  mustToRawJson: writes(raw),
  fromJson: define(['string'], ([text], meter) => orNothing(() => decoded(text, meter), null)),
  mustFromJson: define(['string'], ([text], meter) => decoded(text, meter)),
};
