// Templates of HTML in which every value is escaped. Pure.

/** A piece of HTML that `html` has made. */
export class Html {
  readonly #text: string;

  /** For text that `html` has made before. Other texts must pass `html`. */
  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** Lists are joined. `undefined` and `false` are left out. */
export type HtmlValue = Html | string | number | undefined | false | readonly HtmlValue[];

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Characters that change the writing direction, and control characters, which browsers show as nothing. */
const hidden = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Texts are safe as content and as the value of an attribute in quotes. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(parts.reduce((text, part, at) => `${text}${toText(values[at - 1])}${part}`));
}

function toText(value: HtmlValue): string {
  if (value === undefined || value === false) {
    return '';
  }
  if (value instanceof Html) {
    return value.toString();
  }
  return typeof value === 'object' ? value.map(toText).join('') : escaped(String(value));
}

function escaped(text: string): string {
  return text
    .replace(hidden, character => (character === '\n' ? character : ' '))
    .replace(/[&<>"']/g, character => escapes[character] ?? '');
}
