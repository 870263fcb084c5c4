// Operands whose number or size was not charged: arguments, fields, data, numbers, layouts, versions, texts that are not
// UTF-8, and problems. The counted work of each is at least that of its operands, or it is refused. Nothing is timed.

import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { WorkMeter } from '@capi-serverless/apimachinery';
import { perform, toPointer } from '@capi-serverless/apimachinery/json-patch';
import { compileRules, createBudget, evaluateRules } from '@capi-serverless/cel';
import { defaultLimits, parseTemplate, renderTemplate } from '@capi-serverless/go-template';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { PatchDraft } from '../../../functions/topology/plan/patches/draft.ts';
import { defaultPatchLimits, PatchBudget } from '../../../functions/topology/plan/patches/patch-limits.ts';
import { toBytes } from '../../../packages/go-template/bytes.ts';
import { validateBySchema, validateVariableDefinitions } from '../../../shared/variables/index.ts';
import { makeSelfSignedCertificate } from '../../support/self-signed-certificate.ts';

const aMeter = (): WorkMeter => new WorkMeter({ units: 1e9, what: 'the test', remedy: 'none' });

function render(text: string, data: unknown = {}) {
  const parsed = parseTemplate(text, { name: 'tpl', functions: 'sprig', missingKey: 'default' });
  const meter = aMeter();
  const rendered = parsed.ok ? renderTemplate(parsed.value, data, { ...defaultLimits, meter }) : parsed;
  return {
    work: meter.spent,
    text: rendered.ok ? rendered.value : undefined,
    error: rendered.ok ? '' : rendered.error,
  };
}

const many = 2000;
const version = `1.0.0-${'a.'.repeat(many)}b`;

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a template', () => {
  it.each([
    { reason: 'arguments', text: `{{ $x := add ${'1 '.repeat(many)} }}`, least: many * 16 },
    { reason: 'operands of a condition', text: `{{ $x := and ${'1 '.repeat(many)} }}`, least: many * 16 },
    { reason: 'fields of a path', text: `{{ $x := ${'.a'.repeat(many)} }}`, least: many * 16 },
    {
      reason: 'variables in scope',
      text: `${'{{ $y := 1 }}'.repeat(400)}{{ $x := 1 }}${'{{ $x }}'.repeat(100)}`,
      least: 100 * 400,
    },
    { reason: 'exact numbers', text: `{{ $x := printf "%.0f" (list ${'5e-324 '.repeat(many)}) }}`, least: many * 1000 },
    {
      reason: 'elements of a layout',
      text: `{{ $d := toDate "2006" "2020" }}{{ $x := $d.Format (repeat ${many} "5") }}`,
      least: many * 32,
    },
    {
      reason: 'identifiers of versions',
      text: `{{ $v := semver .v }}${'{{ $x := $v.Compare $v }}'.repeat(10)}`,
      data: { v: version },
      least: 10 * version.length * 16,
    },
    { reason: 'values of its data', text: '{{ if .l }}{{ end }}', data: { l: Array(many).fill({}) }, least: many * 16 },
    {
      reason: 'values of JSON',
      text: '{{ $x := fromJson .j }}',
      data: { j: `[${'1,'.repeat(many)}1]` },
      least: many * 16,
    },
  ])('pays for $reason', ({ text, data, least }) => {
    const { work, error } = render(text, data);
    expect(error).toBe('');
    expect(work).toBeGreaterThan(least);
  });

  it.each([
    { reason: 'a list of references to one text, printed by printf', call: 'printf "%s" $l' },
    { reason: 'the same list, printed by print', call: 'print $l' },
    { reason: 'many references to one text, quoted', call: `squote ${'$t '.repeat(20)}` },
    { reason: 'many references to one text, printed with spaces', call: `println ${'$t '.repeat(20)}` },
  ])('joins no text beyond the limit of one value: $reason', ({ call }) => {
    const joined = vi.spyOn(Array.prototype, 'join');
    const { error } = render(`{{ $t := repeat 500000 "a" }}{{ $l := list ${'$t '.repeat(20)} }}{{ $x := ${call} }}`);
    const longest = Math.max(...joined.mock.results.map(({ value }) => String(value).length));
    joined.mockRestore();
    expect(error).toContain('limit exceeded: a value of more than 4194304 bytes');
    expect(longest).toBeLessThan(4_194_304);
  });

  it('splits a text into characters only with the steps for them', () => {
    const { error } = render('{{ $t := repeat 2000000 "é" }}{{ $x := splitList "" $t }}');
    expect(error).toContain('limit exceeded: more than 2000000 steps');
  });

  it('reads no JSON that is nested too deeply', () => {
    expect(render(`{{ mustFromJson .j }}`, { j: '['.repeat(1500) + ']'.repeat(1500) }).error).toContain('1000 levels');
  });

  it('converts bytes that are not UTF-8 without a call of the encoder for each', () => {
    const calls = [vi.spyOn(TextEncoder.prototype, 'encodeInto'), vi.spyOn(TextEncoder.prototype, 'encode')];
    expect(toBytes('a\udcff'.repeat(10_000))).toHaveLength(20_000);
    expect(calls.map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
  });

  it('encodes each text once to sort it, if it is not UTF-8', () => {
    const texts = `(list ${Array.from({ length: 64 }, (_, at) => `"${at}\\xff"`).join(' ')})`;
    const sorted = render(`{{ sortAlpha ${texts} | join "," }}`).text;
    expect(sorted).toBe(
      Array.from({ length: 64 }, (_, at) => `${at}\udcff`)
        .sort()
        .join(','),
    );
  });

  it('reads keys of the algorithms of Go only, as OpenSSL calculates public keys of others in cubic time', () => {
    const { certificatePem, keyPem } = makeSelfSignedCertificate();
    const build = (key: string) =>
      render('{{ $x := buildCustomCert (b64enc .c) (b64enc .k) }}', { c: certificatePem, k: key });
    const toPem = (key: KeyObject): string => String(key.export({ type: 'pkcs8', format: 'pem' }));
    const [rsa, ed25519, x448] = [
      generateKeyPairSync('rsa', { modulusLength: 512 }),
      generateKeyPairSync('ed25519'),
      generateKeyPairSync('x448'),
    ].map(({ privateKey }) => toPem(privateKey));
    expect([keyPem, rsa, ed25519].map(key => build(key ?? '').error)).toEqual(['', '', '']);
    expect(build(x448 ?? '').error).toContain('error parsing private key');
    expect(build(`${keyPem}${x448}`).error).toContain('error parsing private key');
  });
});

describe('a rule', () => {
  const text = 'x'.repeat(many);
  const schema = (rule: string) => ({ type: 'integer', 'x-kubernetes-validations': [{ rule }] });

  it.each([
    { reason: 'items of a list', rule: `[self, ${Array(many).fill('1').join(', ')}].size() > 0`, least: many * 3 },
    {
      reason: 'entries of a map',
      rule: `{${Array.from({ length: many }, (_, at) => `${at}: self`).join(', ')}}.size() > 0`,
      least: many * 15,
    },
    { reason: 'operands of a condition', rule: Array(many).fill('true').join(' && '), least: many * 3 },
    { reason: 'problems that do not determine a condition', rule: '1 / (self - 1) == 1 || true', least: 256 },
    { reason: 'characters of an address', rule: `ip('${text}') == ip('::1') || true`, least: many * 16 },
    { reason: 'characters of a canonical address', rule: `ip.isCanonical('${text}') || true`, least: many * 16 },
    { reason: 'characters of a network', rule: `cidr('${text}') == cidr('::1/1') || true`, least: many * 16 },
  ])('pays for $reason', ({ rule, least }) => {
    const meter = aMeter();
    const { rules, problems } = compileRules(schema(rule), { path: 'schema' });
    expect(problems).toEqual([]);
    expect(evaluateRules(rules, { value: 1, path: 'value', budget: createBudget(1e9, meter) })).toEqual([]);
    expect(meter.spent).toBeGreaterThan(least);
  });
});

describe('a schema', () => {
  it('pays for each choice of a definition, as each is checked', () => {
    const meter = aMeter();
    const schema = { type: 'string', enum: Array.from({ length: many }, (_, at) => `k${at}`) };
    const variable = { name: 'v', schema: { openAPIV3Schema: schema } };
    expect(validateVariableDefinitions([variable], 'spec.variables', meter)).toEqual([]);
    expect(meter.spent).toBeGreaterThan(many * 1000);
  });

  it('ends when a value has too many problems, which need more memory than the value', () => {
    const required = Array.from({ length: 100 }, (_, at) => `r${at}`);
    const properties = Object.fromEntries(required.map(name => [name, { type: 'string' }]));
    const schema = { type: 'array', items: { type: 'object', properties, required } };
    const errors = validateBySchema(Array(20_000).fill({}), schema, { field: 'f' });
    expect(errors.map(({ detail }) => detail)).toEqual([
      'takes too much work to check: make schemas and values smaller',
    ]);
  });
});

describe('a patch', () => {
  it('pays for the value that a test compares', () => {
    const meter = aMeter();
    const text = 'a'.repeat(100_000);
    const draft = new PatchDraft({ t: text }, new PatchBudget(defaultPatchLimits, meter));
    perform(draft, { op: 'test', path: toPointer('/t'), value: `${text} `.slice(0, -1) });
    expect(meter.spent).toBeGreaterThan(text.length / 4);
  });
});
