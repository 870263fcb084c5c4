import { describe, expect, it } from 'vitest';
import { builtins } from '../../../../packages/go-template/builtins.ts';
import { goFunctionNames, sprigFunctionNames } from '../../../../packages/go-template/function-names.ts';
import { sprigFunctions } from '../../../../packages/go-template/functions/sprig.ts';
import { unrepeatableFunctions } from '../../../../packages/go-template/functions/unrepeatable.ts';
import { type ParseOptions, parseTemplate } from '../../../../packages/go-template/parse.ts';
import { renderTemplate } from '../../../../packages/go-template/template.ts';
import { decodeYaml11 } from '../../../../packages/go-template/yaml11.ts';

const patch: ParseOptions = { name: 'tpl', functions: 'sprig', missingKey: 'default' };
const naming: ParseOptions = { name: 'name', functions: 'none', missingKey: 'error' };

function render(text: string, data: unknown, options = patch) {
  const parsed = parseTemplate(text, options);
  return parsed.ok ? renderTemplate(parsed.value, data) : parsed;
}

/** Returns the value that a patch writes. */
function write(text: string, data: unknown): unknown {
  const rendered = render(text, data);
  const decoded = rendered.ok ? decodeYaml11(rendered.value) : rendered;
  return decoded.ok ? decoded.value : { error: decoded.error };
}

describe('the value of a patch', () => {
  it('is a number if the text has the form of one, unless it is quoted (10)', () => {
    expect(write('{{ .v }}', { v: '1.30' })).toBe(1.3);
    expect(write('"{{ .v }}"', { v: '1.30' })).toBe('1.30');
  });

  it('is nothing where a condition does not hold (11)', () => {
    expect(render('{{ if .proxy }}true{{ end }}', {})).toEqual({ ok: true, value: '' });
    expect(write('{{ if .proxy }}true{{ end }}', {})).toBeNull();
  });

  it.each([
    { data: { flag: true }, value: true, reason: 'set' },
    { data: { flag: false }, value: false, reason: 'set to false' },
    { data: {}, value: '<no value>', reason: 'unset' },
  ])('is $value where the flag is $reason (12)', ({ data, value }) => {
    expect(write('{{ .flag }}', data)).toBe(value);
  });

  it('cannot use functions of Helm (13)', () => {
    expect(parseTemplate('{{ toYaml .x }}', patch)).toEqual({
      ok: false,
      error: 'template: tpl:1: function "toYaml" not defined',
    });
  });

  const version = '{{ .builtin.machineDeployment.version | replace "+" "_" }}';

  it('may be a version with its plus replaced (14)', () => {
    expect(write(version, { builtin: { machineDeployment: { version: 'v1.31.0+x' } } })).toBe('v1.31.0_x');
  });

  it('fails on a missing argument of a function (15)', () => {
    expect(render(version, { builtin: { controlPlane: {} } })).toEqual({
      ok: false,
      error: 'template: tpl:1:52: executing "tpl" at <"_">: invalid value; expected string',
    });
  });

  it('may depend on a comparison of versions (16)', () => {
    const data = { builtin: { controlPlane: { version: 'v1.24.3' } } };
    expect(write('{{ semverCompare "< v1.25-0" .builtin.controlPlane.version }}', data)).toBe(true);
  });

  it('does not change the data', () => {
    const data = { m: { a: 1 } };
    expect(write('{{ $_ := set .m "a" 2 }}{{ .m.a }}', data)).toBe(2);
    expect(data).toEqual({ m: { a: 1 } });
  });
});

describe('a naming template', () => {
  it('fills in names', () => {
    const data = { cluster: { name: 'c' }, random: 'xxxxx' };
    expect(render('{{ .cluster.name }}-{{ .random }}', data, naming)).toEqual({ ok: true, value: 'c-xxxxx' });
  });

  it('fails on a key that is missing', () => {
    expect(render('{{ .cluster.name }}', { cluster: {} }, naming)).toEqual({
      ok: false,
      error: 'template: name:1:11: executing "name" at <.cluster.name>: map has no entry for key "name"',
    });
  });

  it('has no functions of sprig', () => {
    expect(parseTemplate('{{ upper "a" }}', naming)).toEqual({
      ok: false,
      error: 'template: name:1: function "upper" not defined',
    });
  });
});

describe('functions', () => {
  it('are exactly the declared names', () => {
    expect(Object.keys(builtins).toSorted()).toEqual([...goFunctionNames].toSorted());
    expect(Object.keys(sprigFunctions).toSorted()).toEqual([...sprigFunctionNames].toSorted());
    expect(sprigFunctionNames.size).toBe(194);
  });

  it.each(Object.keys(unrepeatableFunctions))('%s is declared, and its call fails with a reason', name => {
    expect(render(`{{ if false }}{{ ${name} }}{{ end }}`, {})).toEqual({ ok: true, value: '' });
    expect(render(`{{ ${name} "x" }}`, {})).toMatchObject({
      error: expect.stringContaining(`${name} is not supported: its result differs each time it is called`),
    });
  });

  it.each(['date', 'now', 'env', 'expandenv', 'uuidv4', 'randAlphaNum', 'getHostByName', 'include', 'tpl', 'required'])(
    '%s cannot be named',
    name => {
      expect(parseTemplate(`{{ ${name} }}`, patch)).toMatchObject({
        error: `template: tpl:1: function "${name}" not defined`,
      });
    },
  );

  it('without an order upstream return sorted keys', () => {
    expect(render('{{ keys .m }} {{ values .m }}', { m: { b: 1, a: 2 } })).toEqual({ ok: true, value: '[a b] [2 1]' });
  });
});
