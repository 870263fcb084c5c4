import { describe, expect, it } from 'vitest';
import { html } from '../../../../cli/ui/html.ts';

describe('a template', () => {
  it.each([
    { value: '<img src=x onerror=alert(1)>', text: '&lt;img src=x onerror=alert(1)&gt;', reason: 'a tag' },
    { value: `"'&`, text: '&quot;&#39;&amp;', reason: 'an end of an attribute' },
    { value: 'a\u202eb\u0007c', text: 'a b c', reason: 'characters that turn or hide text' },
    { value: 'a\nb', text: 'a\nb', reason: 'a line break' },
    { value: 7, text: '7', reason: 'a number' },
    { value: undefined, text: '', reason: 'nothing' },
    { value: false as const, text: '', reason: 'a condition that does not hold' },
    { value: ['<', html`<b>${'>'}</b>`], text: '&lt;<b>&gt;</b>', reason: 'a list, with a part that is HTML' },
  ])('escapes its values: $reason', ({ value, text }) => {
    expect(html`<p>${value}</p>`.toString()).toBe(`<p>${text}</p>`);
  });
});
