// printf: directives, their flags and arguments. https://pkg.go.dev/fmt#hdr-Printing
import { type Flags, formatted } from './format-value.ts';
import type { RenderMeter } from './limits.ts';
import { printed } from './print.ts';
import { TextBuilder } from './text-builder.ts';
import { Int, type TemplateValue, typeOf } from './value.ts';

/** The maximum width and precision. Go refuses larger values with the same text. */
const largest = 1_000_000;

export function sprintf(format: string, args: readonly TemplateValue[], meter: RenderMeter): string {
  return new Formatter(format, args, meter).run();
}

class Formatter {
  readonly #format: string;
  readonly #args: readonly TemplateValue[];
  readonly #meter: RenderMeter;
  readonly #text = new TextBuilder();
  #length = 0;
  #at = 0;
  #arg = 0;
  #reordered = false;
  #goodIndex = true;

  constructor(format: string, args: readonly TemplateValue[], meter: RenderMeter) {
    this.#format = format;
    this.#args = args;
    this.#meter = meter;
  }

  run(): string {
    while (this.#at < this.#format.length) {
      const next = this.#format.indexOf('%', this.#at);
      const end = next < 0 ? this.#format.length : next;
      this.#write(this.#format.slice(this.#at, end));
      this.#at = end + 1;
      if (next >= 0) {
        this.#directive();
      }
    }
    this.#extra();
    return this.#text.finish();
  }

  #write(text: string): void {
    this.#text.add(text);
    this.#length += text.length;
    this.#meter.text(text.length);
    this.#meter.hold(this.#length);
  }

  #extra(): void {
    if (this.#reordered || this.#arg >= this.#args.length) {
      return;
    }
    const shown = this.#args
      .slice(this.#arg)
      .map(arg => (arg === null || arg === undefined ? '<nil>' : `${typeOf(arg)}=${printed(arg, this.#meter)}`));
    this.#write(`%!(EXTRA ${shown.join(', ')})`);
  }

  #directive(): void {
    const flags = /[+\-# 0]*/y;
    flags.lastIndex = this.#at;
    const given = flags.exec(this.#format)?.[0] ?? '';
    this.#at += given.length;
    this.#goodIndex = true;
    this.#index();
    const width = this.#size('width');
    const precision = this.#precision();
    this.#index();
    const code = this.#format.codePointAt(this.#at);
    if (code === undefined) {
      this.#write('%!(NOVERB)');
      return;
    }
    const verb = String.fromCodePoint(code);
    this.#at += verb.length;
    const minus = given.includes('-') || (width !== undefined && width < 0);
    this.#verb(verb, {
      plus: given.includes('+') && verb !== 'v',
      minus,
      sharp: given.includes('#'),
      space: given.includes(' '),
      zero: given.includes('0') && !minus,
      width: width === undefined ? undefined : Math.abs(width),
      precision,
    });
  }

  #verb(verb: string, flags: Flags): void {
    if (verb === '%') {
      this.#write('%');
      return;
    }
    if (!this.#goodIndex) {
      this.#write(`%!${verb}(BADINDEX)`);
      return;
    }
    if (this.#arg >= this.#args.length) {
      this.#write(`%!${verb}(MISSING)`);
      return;
    }
    const arg = this.#args[this.#arg];
    this.#arg += 1;
    this.#write(formatted(arg, { flags, verb, meter: this.#meter }, 0));
  }

  /** Reads an explicit argument index such as `[2]`. */
  #index(): void {
    if (this.#format[this.#at] !== '[') {
      return;
    }
    this.#reordered = true;
    const close = this.#format.indexOf(']', this.#at);
    const number = Number(/^[0-9]{1,7}$/.exec(this.#format.slice(this.#at + 1, close))?.[0] ?? Number.NaN);
    this.#at = close < 0 ? this.#at + 1 : close + 1;
    if (number >= 1 && number <= this.#args.length) {
      this.#arg = number - 1;
    } else {
      this.#goodIndex = false;
    }
  }

  #size(of: 'width' | 'precision'): number | undefined {
    if (this.#format[this.#at] === '*') {
      this.#at += 1;
      return this.#sizeOfArgument(of);
    }
    const digits = /[0-9]*/y;
    digits.lastIndex = this.#at;
    const text = digits.exec(this.#format)?.[0] ?? '';
    this.#at += text.length;
    if (text === '') {
      return undefined;
    }
    return Number(text) > largest ? this.#badSize(of) : Number(text);
  }

  #sizeOfArgument(of: 'width' | 'precision'): number | undefined {
    const arg = this.#args[this.#arg];
    this.#arg += this.#arg < this.#args.length ? 1 : 0;
    const size = arg instanceof Int ? Number(arg.value) : Number.NaN;
    return Math.abs(size) <= largest && (of === 'width' || size >= 0) ? size : this.#badSize(of, size < 0);
  }

  #badSize(of: 'width' | 'precision', isNegativePrecision = false): undefined {
    if (!isNegativePrecision) {
      this.#write(of === 'width' ? '%!(BADWIDTH)' : '%!(BADPREC)');
    }
    return undefined;
  }

  #precision(): number | undefined {
    if (this.#format[this.#at] !== '.') {
      return undefined;
    }
    this.#at += 1;
    this.#index();
    if (this.#format[this.#at] === '*') {
      return this.#size('precision');
    }
    return this.#size('precision') ?? 0;
  }
}
