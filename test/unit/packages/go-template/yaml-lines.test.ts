// Lines and directives as sigs.k8s.io/yaml v1.6.0 reads them. Each result was compared with it.

import { describe, expect, it } from 'vitest';
import { LineCounter } from 'yaml';
import { decodeYaml11, readYamlDocuments, surprisingWords } from '../../../../packages/go-template/yaml11.ts';

describe('YAML that continues at a column of its parent', () => {
  it.each([
    { what: 'a list', text: 'hosts: [\n"alpha",\n"beta",\n]\nb: 1', value: { hosts: ['alpha', 'beta'], b: 1 } },
    { what: 'a map before a block', text: 'm: {\na: 1,\nb: 2\n}\nc: |\n  t\n', value: { m: { a: 1, b: 2 }, c: 't\n' } },
    { what: 'quoted texts', text: 'a: "x\ny"\nb: \'p\n  q\'\n', value: { a: 'x y', b: 'p q' } },
    { what: 'a list below', text: 'x:\n  a: [\n1,\n2]\n  b: 3', value: { x: { a: [1, 2], b: 3 } } },
    { what: 'a quoted text below', text: 'x:\n  a: "t\nu"\n  b: 3', value: { x: { a: 't u', b: 3 } } },
  ])('is read: $what', ({ text, value }) => {
    expect(decodeYaml11(text)).toEqual({ ok: true, value });
  });

  it('is not read otherwise', () => {
    expect(decodeYaml11('x:\n  a: |\n t\n')).toMatchObject({ ok: false });
    expect(decodeYaml11('x:\n   a: 1\n  b: 2')).toMatchObject({ ok: false });
  });
});

describe('a line that begins with %', () => {
  it.each([
    { text: '%!s(<nil>)-audit', error: 'could not find expected directive name' },
    { text: '% x', error: 'could not find expected directive name' },
    { text: '%41bc', error: 'found unknown directive name' },
    { text: '%FOO bar\n---\na: 1', error: 'found unknown directive name' },
    { text: '# c\n%FOO', error: 'line 2: found unknown directive name' },
    { text: '%FOO!', error: 'found unexpected non-alphabetical character' },
    { text: '%YAML 1.2\n---\na: 1', error: 'found incompatible YAML document' },
  ])('is an error: $text', ({ text, error }) => {
    expect(decodeYaml11(text)).toEqual({ ok: false, error: `error converting YAML to JSON: yaml: ${error}` });
  });

  it.each(['%YAML 1.1\na: 1', 'a: 1\n%b: 2', '---\n%x: 1', '[1,\n%a]', '%YAML'])(
    'is an error in its place: %j',
    text => {
      expect(decodeYaml11(text)).toMatchObject({ ok: false });
    },
  );

  it.each([
    { text: '%YAML 1.1\n---\na: 1', value: { a: 1 } },
    { text: '%YAML 1.1 # c\n---\na: 1', value: { a: 1 } },
    { text: '%TAG ! tag:x,2000:\n---\na: 1', value: { a: 1 } },
    { text: 'a\n%b', value: 'a %b' },
    { text: 'a: |\n  %b', value: { a: '%b' } },
  ])('is read: $text', ({ text, value }) => {
    expect(decodeYaml11(text)).toEqual({ ok: true, value });
  });
});

describe('a text that only Go refuses', () => {
  it.each([
    { text: 'a: 1\n\tb: 2', error: 'line 2: found a tab character that violates indentation' },
    { text: 'a: "1"\n\tb: 2', error: 'line 2: found character that cannot start any token' },
    { text: '-\ta', error: 'found character that cannot start any token' },
    { text: 'a: |\n  \tb', error: 'line 2: found a tab character where an indentation space is expected' },
    { text: 'a: |\n  b\n \tc', error: 'line 2: found a tab character where an indentation space is expected' },
    { text: '- {\n\ta: b\n\t}', error: 'line 3: found a tab character that violates indentation' },
    { text: '"a\\/b"', error: 'found unknown escape character' },
    { text: '"a\\"', error: 'found unexpected end of stream' },
    { text: "'a''", error: 'found unexpected end of stream' },
    { text: '[http://x/y?z]', error: 'did not find expected node content' },
    { text: '[:x]', error: 'did not find expected node content' },
    { text: '{a:[]}', error: 'did not find expected node content' },
    { text: '...\n---\na', error: 'did not find expected node content' },
    { text: '%TAG ! tag:x,2000:\n', error: 'did not find expected <document start>' },
    { text: '| b\n', error: expect.stringMatching(/^line 1: /) },
  ])('is refused: $text', ({ text, error }) => {
    const decoded = decodeYaml11(text);
    expect(decoded.ok ? decoded : decoded.error.replace('error converting YAML to JSON: yaml: ', '')).toEqual(error);
  });

  it('is refused in each document of a file, and only in the first one of a template', () => {
    const text = 'a: 1\n---\nb: 1\n...\n---\n-\tc\n';
    const documents = readYamlDocuments(text, new LineCounter());
    expect(documents.map(({ document }) => document.errors.map(({ message, pos }) => [message, pos[0]]))).toEqual([
      [],
      [],
      [['found character that cannot start any token', 23]],
    ]);
    expect(decodeYaml11(text)).toEqual({ ok: true, value: { a: 1 } });
  });
});

describe('a text with the same signs that Go reads', () => {
  it.each([
    { text: 'a:\tb\t# c\nc: 1', value: { a: 'b', c: 1 } },
    { text: 'a: b\n  \tc', value: { a: 'b c' } },
    { text: 'a\n\tb', value: 'a b' },
    { text: '[\n\ta\n\t]', value: ['a'] },
    { text: 'a: "b\n\tc"', value: { a: 'b c' } },
    { text: 'a: |\n  b\n  \tc', value: { a: 'b\n\tc' } },
    { text: 'a: |2\n  \tb\n', value: { a: '\tb\n' } },
    { text: '{"a":[1], b: [2], c : [3]}', value: { a: [1], b: [2], c: [3] } },
    { text: '["a"#c\n]', value: ['a'] },
    { text: 'a: b\rc: d\u0085e: f', value: { a: 'b', c: 'd', e: 'f' } },
    { text: '\ufeff- a\n- b', value: ['a', 'b'] },
    { text: 'a: |\n b\n  ', value: { a: 'b\n ' } },
    { text: 'a: |\n b\n ', value: { a: 'b\n' } },
    { text: '.inf: 1\n-.Inf: 2\n.NaN: 3', value: { '.inf': 1, '-.inf': 2, '.nan': 3 } },
    { text: '!!binary AIA=', value: '\0\ufffd' },
  ])('is read: $text', ({ text, value }) => {
    expect(decodeYaml11(text)).toEqual({ ok: true, value });
  });
});

describe('text after the end of a flow collection', () => {
  it.each([
    { text: '[a] b', value: ['a'] },
    { text: '[a]\nb: 1', value: ['a'] },
    { text: '{a: 1} x', value: { a: 1 } },
  ])('is ignored: $text', ({ text, value }) => {
    expect(decodeYaml11(text)).toEqual({ ok: true, value });
  });
});

describe('a file of several documents', () => {
  it('is read with its lines, anchors and merges', () => {
    const lines = new LineCounter();
    const documents = readYamlDocuments('a: &x {b: yes}\nc: {<<: *x, d: 010}\n---\n- on\n--- # empty\n', lines);
    expect(documents.map(({ value }) => value)).toEqual([
      { ok: true, value: { a: { b: true }, c: { b: true, d: 8 } } },
      { ok: true, value: [true] },
      { ok: true, value: null },
    ]);
    expect(lines.linePos(Number(documents[1]?.document.contents?.range?.[0]))).toEqual({ line: 4, col: 1 });
  });

  it('names what cannot be decoded', () => {
    const [document] = readYamlDocuments('a: *x', new LineCounter());
    expect(document?.value).toEqual({ ok: false, error: "unknown anchor 'x' referenced" });
  });
});

describe('surprising words', () => {
  const wordsOf = (text: string) =>
    readYamlDocuments(text, new LineCounter()).flatMap(({ document }) =>
      document.contents === null ? [] : surprisingWords(document.contents).map(({ word, value }) => [word, value]),
    );

  it('are booleans and numbers that look like texts or other numbers', () => {
    expect(wordsOf('[yes, Off, n, 010, 0b11, 1_000, {y: 1}]')).toEqual([
      ...[
        ['yes', true],
        ['Off', false],
        ['n', false],
        ['010', 8],
        ['0b11', 3],
        ['1_000', 1000],
        ['y', true],
      ],
    ]);
  });

  it('are no others', () => {
    expect(wordsOf('[true, FALSE, 1, -2, 1.5, .5, 1e3, 0x1F, 0, "yes", \'010\', !!str yes, ~, text, 1.2.3]')).toEqual(
      [],
    );
  });
});

describe('blank lines after an escaped line break', () => {
  it.each([
    { text: '"a\\\n\nb"', value: 'a\nb' },
    { text: '"a\\\n  \n\t\n  b"', value: 'a\n\nb' },
    { text: '"a\\\r\n\r\nb"', value: 'a\nb' },
    { text: '"a\\\r\rb"', value: 'a\nb' },
    { text: '"a \\\n\n  b\n\n  c\\n"', value: 'a \nb\nc\n' },
    { text: '"a\\\n\n"', value: 'a\n' },
    { text: '"a\\\\\n\nb"', value: 'a\\\nb' },
    { text: '"a\\\n b"', value: 'ab' },
    { text: '"a\\\n\n\\\n\nb\\"c"', value: 'a\n\nb"c' },
  ])('are line breaks: $text', ({ text, value }) => {
    expect(decodeYaml11(text)).toEqual({ ok: true, value });
    expect(decodeYaml11(`x:\n- &a ${text}\n- *a`)).toEqual({ ok: true, value: { x: [value, value] } });
  });

  it('are line breaks in files', () => {
    const [read] = readYamlDocuments('---\na: 1\n---\nb: "x\\\n\n  y"\n', new LineCounter()).slice(1);
    expect(read?.value).toEqual({ ok: true, value: { b: 'x\ny' } });
  });
});

describe('a value that JavaScript would change', () => {
  it.each([
    '9007199254740993',
    '18446744073709551615',
    '-9007199254740993',
    '0x20000000000001',
    '9_007_199_254_740_993',
  ])('is an error: %s', number => {
    const error = `cannot hold a whole number of more than 53 bits exactly \`${number}\``;
    expect(decodeYaml11(`a: ${number}`)).toEqual({ ok: false, error: `error converting YAML to JSON: yaml: ${error}` });
    expect(readYamlDocuments(`a: ${number}`, new LineCounter())[0]?.value).toEqual({ ok: false, error });
  });

  it.each([
    { number: '9007199254740992', value: 9007199254740992 },
    { number: '18446744073709551616', value: 18446744073709552000 },
    { number: '1.00000000000000001', value: 1 },
    { number: '1e300', value: 1e300 },
  ])('is not one that Go changes too: $number', ({ number, value }) => {
    expect(decodeYaml11(number)).toEqual({ ok: true, value });
  });
});

describe('a line separator of Unicode', () => {
  it.each(['a: x\u2028y', 'a: 1 # c\u2029b: 1', '"a\u2028b"'])('is an error: %j', text => {
    const error = 'line separators (U+2028, U+2029) are not allowed; write \\u2028 or \\u2029 in double quotes';
    expect(decodeYaml11(text)).toEqual({ ok: false, error: `error converting YAML to JSON: yaml: ${error}` });
    expect(readYamlDocuments(text, new LineCounter())[0]?.value).toEqual({ ok: false, error });
  });

  it('is read as an escape', () => {
    expect(decodeYaml11('"a\\u2028\\Lb"')).toEqual({ ok: true, value: 'a\u2028\u2028b' });
  });
});

describe('a block with an indentation indicator', () => {
  it.each(['a: |1\n   \n', 'a: >-2\n    \nb: 1', '- |+3\n \n\n'])('is an error without another line: %j', text => {
    const error = 'error converting YAML to JSON: yaml: a block with an indentation indicator has only spaces';
    expect(decodeYaml11(text)).toEqual({ ok: false, error });
  });

  it.each([
    { text: 'a: |1\n   x\n', value: '  x\n' },
    { text: 'a: |1+\n\n\n', value: '\n\n' },
    { text: 'a: |\n   \n', value: '' },
    { text: 'a: |+\n\n  ', value: '\n' },
    { text: 'a: |+\n  ', value: '' },
    { text: 'a: |+\n', value: '' },
  ])('is read: $text', ({ text, value }) => {
    expect(decodeYaml11(text)).toEqual({ ok: true, value: { a: value } });
  });

  it('at the root ends before a line that begins with another space than " "', () => {
    expect(decodeYaml11('|\n\u00a0x')).toEqual({ ok: true, value: '' });
  });
});
