// What the scenarios of conversions have in common.
export interface ConversionScenario {
  readonly name: string;
  readonly kind: string;
  readonly group?: string;
  readonly from: string;
  readonly to: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly input: Readonly<Record<string, unknown>>;
  readonly output: Readonly<Record<string, unknown>>;
  /** Labels and annotations of the output. Default: those of the input. */
  readonly outputMetadata?: Readonly<Record<string, unknown>>;
}

export const infra = 'infrastructure.cluster.x-k8s.io';
export const up = { from: 'v1beta1', to: 'v1beta2' };
export const down = { from: 'v1beta2', to: 'v1beta1' };
export const dataAnnotation = 'cluster.x-k8s.io/conversion-data';
export const clusterNameSet = 'conversion.cluster.x-k8s.io/cluster-name-label-set';
export const clusterName = 'cluster.x-k8s.io/cluster-name';

/** The content of the annotation is another scenario. */
export const anyText = '*';
