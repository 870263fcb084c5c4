// The notation of shapes: `MachineSpec { clusterName string, bootstrap Bootstrap, version ?*string }`, for each version.
//
// A type is a scalar, the name of a struct (of the same version if it names none), `*T` (absent or a T), `[]T` (list) or
// `<>T` (map). The prefix `?` leaves out an empty field. Fields without it are always written.
/** The structs of each version. */
export type ShapeText = Readonly<Record<string, string>>;

/** Fields and their types, by the name of the struct, for example `v1beta2.MachineSpec`. */
export type Shapes = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The types that are no structs. `json` is any value. */
export const scalars = [
  'string',
  'bool',
  'int',
  'float64',
  'time',
  'duration',
  'intOrString',
  'bytes',
  'json',
  'metadata',
] as const;

export type Scalar = (typeof scalars)[number];

export function parseShapes(...texts: readonly ShapeText[]): Shapes {
  const versions = texts.flatMap(text => Object.entries(text));
  return Object.fromEntries(versions.flatMap(([version, text]) => parseVersion(version, text)));
}

function parseVersion(version: string, text: string): [string, Readonly<Record<string, string>>][] {
  const structs = text.split('}').slice(0, -1);
  return structs.map(struct => {
    const [name = '', fields = ''] = struct.split('{');
    return [`${version}.${name.trim()}`, parseFields(version, fields)];
  });
}

function parseFields(version: string, fields: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    fields.split(',').map(field => {
      const [key = '', type = ''] = field.trim().split(/\s+/);
      return [key, qualify(version, type)];
    }),
  );
}

function qualify(version: string, type: string): string {
  const name = type.replace(/^\W+/, '');
  const marks = type.slice(0, type.length - name.length);
  return name.includes('.') || scalars.some(scalar => scalar === name) ? type : `${marks}${version}.${name}`;
}
