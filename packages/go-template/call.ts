// Functions of templates: their parameters, and the conversion of arguments.
import { type Checked, invalid, valid } from '@capi-serverless/apimachinery';
import type { RenderMeter } from './limits.ts';
import { anyType, Dict, Int, List, type Opaque, type Param, type TemplateValue, typeOf } from './value.ts';

/** The error if a function failed. Rendering ends with `error calling <function>: <message>`. */
export class FunctionError extends Error {
  override readonly name = 'FunctionError';
}

interface ArgOf {
  readonly any: Exclude<TemplateValue, undefined>;
  readonly value: TemplateValue;
  readonly string: string;
  readonly bool: boolean;
  readonly int: number;
  readonly int64: number;
  readonly uint32: number;
  readonly float64: number;
  readonly dict: Dict;
  readonly list: List;
  readonly time: Opaque;
  readonly version: Opaque;
  readonly certificate: Opaque;
}

type ArgsOf<P extends readonly Param[]> = { readonly [K in keyof P]: ArgOf[P[K]] };

export interface TemplateFunction {
  readonly params: readonly Param[];
  /** The type of variadic arguments. */
  readonly rest: Param | undefined;
  readonly run: (args: readonly TemplateValue[], meter: RenderMeter) => TemplateValue;
}

export type FunctionTable = Readonly<Record<string, TemplateFunction>>;

/** Integers are converted to numbers, because functions use them as counts. */
function unboxed(arg: TemplateValue, param: Param | undefined): unknown {
  return param !== undefined && integers.has(param) && arg instanceof Int ? Number(arg.value) : arg;
}

const integers: ReadonlySet<Param> = new Set<Param>(['int', 'int64', 'uint32']);

export function define<const P extends readonly Param[]>(
  params: P,
  run: (args: ArgsOf<P>, meter: RenderMeter) => TemplateValue,
): TemplateFunction {
  return {
    params,
    rest: undefined,
    // True: `convert` converted every argument to its parameter type.
    run: (args, meter) => run(args.map((arg, index) => unboxed(arg, params[index])) as unknown as ArgsOf<P>, meter),
  };
}

export function defineVariadic<const P extends readonly Param[], R extends Param>(
  params: P,
  rest: R,
  run: (args: ArgsOf<P>, more: readonly ArgOf[R][], meter: RenderMeter) => TemplateValue,
): TemplateFunction {
  return {
    params,
    rest,
    run: (args, meter) => {
      const unboxedArgs = args.map((arg, index) => unboxed(arg, params[index] ?? rest));
      // True: `convert` converted every argument to its parameter type.
      const fixed = unboxedArgs.slice(0, params.length) as unknown as ArgsOf<P>;
      return run(fixed, unboxedArgs.slice(params.length) as ArgOf[R][], meter);
    },
  };
}

/** Returns Go's name of the type. */
export function nameOfParam(param: Param): string {
  return goTypes[param];
}

const goTypes: Readonly<Record<Param, string>> = {
  any: anyType,
  value: 'reflect.Value',
  string: 'string',
  bool: 'bool',
  int: 'int',
  int64: 'int64',
  uint32: 'uint32',
  float64: 'float64',
  dict: `map[string]${anyType}`,
  list: `[]${anyType}`,
  time: 'time.Time',
  version: '*semver.Version',
  certificate: 'sprig.certificate',
};

/** Returns the value converted to the parameter's type, or the error. */
export function convert(value: TemplateValue, param: Param): Checked<TemplateValue> {
  if (param === 'value') {
    return valid(value);
  }
  if (param === 'any') {
    return valid(value ?? null);
  }
  if (value === undefined) {
    const nothing = nilOf(param);
    return nothing === undefined ? invalid(`invalid value; expected ${nameOfParam(param)}`) : valid(nothing);
  }
  const type = value === null ? anyType : typeOf(value);
  return type === nameOfParam(param)
    ? valid(value)
    : invalid(`wrong type for value; expected ${nameOfParam(param)}; got ${type}`);
}

/** Returns Go's nil of the parameter's type, or undefined if there is none. */
export function nilOf(param: Param): TemplateValue {
  switch (param) {
    case 'dict':
      return new Dict(new Map(), anyType, true);
    case 'list':
      return new List([], anyType, true);
    case 'any':
    case 'version':
      return null;
    case 'value':
    case 'string':
    case 'bool':
    case 'int':
    case 'int64':
    case 'uint32':
    case 'float64':
    case 'time':
    case 'certificate':
      return undefined;
  }
}
