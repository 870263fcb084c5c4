// Go templates: pipelines with all functions, loops and text, and hostile values.
import { WorkLimitError, WorkMeter } from '@capi-serverless/apimachinery';
import { defaultLimits, parseTemplate, renderTemplate, unitsPerStep } from '@capi-serverless/go-template';
import { sprigFunctions } from '../../../packages/go-template/functions/sprig.ts';
import { fc } from '../../support/property.ts';
import type { FuzzedParser } from '../parser.ts';

const units = 4_000_000;
const { derivePassword: _, ...functions } = sprigFunctions;
const name = fc.constantFrom(...Object.keys(functions), 'printf', 'print', 'eq', 'lt', 'index', 'len', 'html', 'js');
const operand = fc.oneof(
  fc.constantFrom('.', '.text', '.list', '.map', '.number', '$x', 'nil', 'true', '-1', '0', '7', '1.5', '100000'),
  fc.string({ maxLength: 12 }).map(text => JSON.stringify(text)),
  fc.constantFrom('"a(.*b)?"', '"[a-z]+"', '"%v %[1]5s"', '"2006-01-02"', '"-"'),
);
const command = fc
  .tuple(name, fc.array(operand, { maxLength: 4 }))
  .map(([called, args]) => [called, ...args].join(' '));
const pipeline = fc.array(command, { minLength: 1, maxLength: 4 }).map(commands => commands.join(' | '));
const { template } = fc.letrec<{ template: string }>(tie => ({
  template: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    pipeline.map(each => `{{ ${each} }}`),
    fc.string({ maxLength: 20 }),
    pipeline.map(each => `{{ $x = ${each} }}`),
    fc.tuple(pipeline, tie('template')).map(([each, body]) => `{{ range ${each} }}${body}{{ end }}`),
    fc.tuple(pipeline, tie('template')).map(([each, body]) => `{{ with ${each} }}${body}{{ else }}x{{ end }}`),
    fc.tuple(tie('template'), tie('template')).map(parts => parts.join('')),
  ),
}));
const data = fc.record({
  text: fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 200 }),
    fc.integer({ min: 0, max: 20_000 }).map(length => 'a'.repeat(length)),
  ),
  list: fc.array(fc.oneof(fc.string(), fc.double({ noNaN: true })), { maxLength: 200 }),
  map: fc.dictionary(fc.string(), fc.string(), { maxKeys: 100 }),
  number: fc.double({ noNaN: true }),
});

/** The counted work is at least the length of the written text. */
function check(text: string, values: unknown): void {
  const parsed = parseTemplate(`{{ $x := .text }}${text}`, { name: 'fuzz', functions: 'sprig', missingKey: 'default' });
  if (!parsed.ok) {
    return;
  }
  const meter = new WorkMeter({ units, what: 'templates', remedy: 'none' });
  const rendered = renderTemplate(parsed.value, values, { ...defaultLimits, meter });
  if (rendered.ok && meter.spent * 2 < rendered.value.length) {
    throw new Error(`${rendered.value.length} characters for ${meter.spent} units`);
  }
  // The last charge may exceed the limit by one value of the maximum size.
  if (meter.spent > units + defaultLimits.valueBytes * unitsPerStep) {
    throw new WorkLimitError({ units, what: 'templates', remedy: 'none' });
  }
}

export const parser: FuzzedParser = {
  name: 'templates',
  property: fc.property(template, data, check),
};
