// The picture of the README. The script creates it from the stored recording. It is well-formed and readable as text.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Capture, toSvg } from '../../../../docs/recording/svg.ts';

const folder = path.resolve(import.meta.dirname, '../../../../docs/recording');
const capture = JSON.parse(readFileSync(path.join(folder, 'capture.json'), 'utf8')) as Capture; // true: the script wrote it
const stored = readFileSync(path.join(folder, 'start.svg'), 'utf8');
const esc = '\u001b';

/** Returns the open elements at the end. Throws at a tag that closes another element. */
function openElements(xml: string): readonly string[] {
  const open: string[] = [];
  for (const [, closes, name = '', attributes = '', isEmpty] of xml.matchAll(
    /<(\/?)([\w:]+)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>/g,
  )) {
    if (closes === '/') {
      expect([open.pop(), attributes]).toEqual([name, '']);
    } else if (isEmpty !== '/') {
      open.push(name);
    }
  }
  return open;
}

/** Returns the text of a group, line by line. */
function linesOf(svg: string, id: string): readonly string[] {
  const [, group = ''] = new RegExp(`<g class="screen" id="${id}">\\n([\\s\\S]*?)\\n</g>`).exec(svg) ?? [];
  return group.split('\n').map(line =>
    line
      .replaceAll('</tspan><tspan', '</tspan> <tspan')
      .replaceAll(/<[^>]*>/g, '')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&'),
  );
}

const words = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

describe('the stored picture', () => {
  it("is the script's output for the stored recording", () => {
    expect(toSvg(capture)).toBe(stored);
  });

  it('is well-formed: elements close in order, and texts have no markup characters', () => {
    expect(openElements(stored)).toEqual([]);
    expect(stored.startsWith('<svg xmlns="http://www.w3.org/2000/svg"')).toBe(true);
    const texts = stored
      .replaceAll(/<style>[\s\S]*?<\/style>/g, '')
      .replaceAll(/<\/?[\w:]+(?:\s+[\w:-]+="[^"<]*")*\s*\/?>/g, '');
    expect(texts).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/);
  });

  it('has every line of every screen as text', () => {
    const colors = new RegExp(`${esc}\\[\\d+m`, 'g');
    capture.screens.forEach(({ lines }, at) => {
      const plain = lines
        .map(line => words(line.replaceAll(colors, '').slice(0, capture.columns)))
        .filter(line => line !== '');
      expect(linesOf(stored, `s${at}`).map(words)).toEqual(plain);
    });
  });

  it('ends with Clusters without pending conditions', () => {
    const last = linesOf(stored, `s${capture.screens.length - 1}`);
    expect(last.filter(line => line.startsWith('✓ default/')).length).toBeGreaterThan(3);
    expect(last.join('\n')).not.toMatch(/^… /m);
  });

  it('names no file of the recording machine', () => {
    expect(stored).not.toMatch(/\/(?:home|root|tmp|Users|work)\//);
  });
});

describe('a picture', () => {
  const svg = toSvg({
    command: 'npm start',
    columns: 20,
    screens: [
      { ms: 0, lines: ['<a> & "b"'] },
      { ms: 1000, lines: [`${esc}[32m✓${esc}[0m a   b`, ''] },
    ],
  });

  it('escapes special characters of XML', () => {
    expect(svg).toContain('&lt;a&gt; &amp; "b"');
    expect(openElements(svg)).toEqual([]);
  });

  it('places each run at its column, in its colour', () => {
    const columnOf = (column: number): string => (14 + column * 7.2).toFixed(1);
    expect(svg).toContain(`<tspan x="${columnOf(0)}" class="g">✓</tspan>`);
    expect(svg).toContain(`<tspan x="${columnOf(6)}">b</tspan>`);
  });

  it('ends a line at the last column', () => {
    const [line = ''] = linesOf(toSvg({ command: 'c', columns: 4, screens: [{ ms: 0, lines: ['abcdef'] }] }), 's0');
    expect(line).toBe('abcd');
  });

  it('has the last screen if animation is off, and follows the colours of the system', () => {
    expect(svg).toContain('.screen{visibility:hidden}#s1{visibility:visible}');
    expect(svg).toContain('@media(prefers-reduced-motion:no-preference)');
    expect(svg).toContain('@media(prefers-color-scheme:dark)');
  });
});
