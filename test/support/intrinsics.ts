// Resolves the intrinsic functions and pseudo parameters of a CloudFormation template. Pure.
// https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/intrinsic-function-reference.html

/** The values of the resources in the template. */
export interface Made {
  /** The result of `Ref`. */
  ref(id: string): string;
  /** The result of `Fn::GetAtt`. */
  attribute(id: string, name: string): string;
}

export interface Place {
  readonly partition: string;
  readonly region: string;
  readonly account: string;
}

/** Returns the value with all functions resolved. Throws on an unknown function. */
export function resolveIntrinsics(value: unknown, made: Made, place: Place): unknown {
  const resolve = (part: unknown): unknown => resolveIntrinsics(part, made, place);
  if (Array.isArray(value)) {
    return value.map(resolve);
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  const entries = Object.entries(value);
  const [only, ...others] = entries;
  const isFunction = only !== undefined && others.length === 0 && /^(Ref|Fn::\w+)$/.test(only[0]);
  return isFunction
    ? carryOut(only, { resolve, made, place })
    : Object.fromEntries(entries.map(([name, part]) => [name, resolve(part)]));
}

interface IntrinsicContext {
  readonly resolve: (part: unknown) => unknown;
  readonly made: Made;
  readonly place: Place;
}

function carryOut([name, argument]: readonly [string, unknown], { resolve, made, place }: IntrinsicContext): unknown {
  const parts = Array.isArray(argument) ? argument : [];
  switch (name) {
    case 'Ref':
      return toPseudo(String(argument), place) ?? made.ref(String(argument));
    case 'Fn::GetAtt':
      return made.attribute(String(parts[0]), String(parts[1]));
    case 'Fn::Sub':
      return String(argument).replaceAll(/\$\{([\w:]+)\}/g, (_, id: string) => toPseudo(id, place) ?? made.ref(id));
    case 'Fn::Join':
      return parts[1].map((part: unknown) => String(resolve(part))).join(parts[0]);
    case 'Fn::Split':
      return String(resolve(parts[1])).split(String(parts[0]));
    case 'Fn::Select':
      return [resolve(parts[1])].flat()[Number(parts[0])];
    default:
      throw new Error(`The template uses ${name}, which this test support does not know`);
  }
}

function toPseudo(name: string, { partition, region, account }: Place): string | undefined {
  return new Map([
    ['AWS::Partition', partition],
    ['AWS::Region', region],
    ['AWS::AccountId', account],
    ['AWS::URLSuffix', 'amazonaws.com'],
  ]).get(name);
}
