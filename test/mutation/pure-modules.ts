// The modules without I/O, clock or randomness, for coverage and mutation.

/** Glob patterns. Tests cover every line and branch of these files, and mutation sets contain every file. */
export const pureModules = [
  'shared/kernel/**/*.ts',
  'packages/{apimachinery,cluster-api,reconciler}/**/*.ts',
  'shared/{admission,variables}/**/*.ts',
  'shared/runtime-hooks/rules/**/*.ts',
  'shared/{template-cleanup,topology}/**/*.ts',
  'functions/*/{decide,plan,report}.ts',
  'functions/*/{phases,conditions,plan}/**/*.ts',
];
