import { describe, expect, it } from 'vitest';
import { type Span, toPlainText, toText, truncate, widthOf } from '../../../../local/view/text.ts';

const plain = (text: string): Span => ({ text, style: 'plain' });

describe('text from objects', () => {
  it('cannot steer the terminal', () => {
    expect(toPlainText('a\x1b[2Jb\u0007\nc\u202ed\u2028e\r')).toBe('a [2Jb c d e');
  });
});

describe('columns', () => {
  it.each<{ text: string; width: number; reason: string }>([
    { text: 'abc', width: 3, reason: 'letters' },
    { text: '├─ ✓…', width: 5, reason: 'what the trees are drawn with' },
    { text: '集群', width: 4, reason: 'East Asian characters are wide' },
    { text: 'é', width: 1, reason: 'an accent of its own takes no column' },
    { text: '🚀', width: 2, reason: 'pictographs are wide' },
  ])('are $width for $text ($reason)', ({ text, width }) => {
    expect(widthOf(text)).toBe(width);
  });
});

describe('cutting to a width', () => {
  it.each<{ spans: readonly string[]; width: number; text: string; reason: string }>([
    { spans: ['abc', 'def'], width: 6, text: 'abcdef', reason: 'it fits' },
    { spans: ['abc', 'def'], width: 5, text: 'abcd…', reason: 'the ellipsis takes a column' },
    { spans: ['abc', 'def'], width: 4, text: 'abc…', reason: 'a span that is not shown at all' },
    { spans: ['集群集'], width: 4, text: '集…', reason: 'half a wide character cannot be shown' },
    { spans: ['abc'], width: 1, text: '…', reason: 'no room' },
    { spans: ['abc'], width: 0, text: '', reason: 'no column' },
  ])('leaves $text ($reason)', ({ spans, width, text }) => {
    expect(toText(truncate(spans.map(plain), width), false)).toBe(text);
  });
});

describe('colours', () => {
  const spans: readonly Span[] = [{ text: 'bad', style: 'red' }, plain(' luck  '), { text: '', style: 'dim' }];

  it('are set for each span and taken back behind it', () => {
    expect(toText(spans, true)).toBe('\x1b[31mbad\x1b[0m luck');
  });

  it('are omitted when none are wanted', () => {
    expect(toText(spans, false)).toBe('bad luck');
  });
});
