// The field manager of the applies of MachineSets.
/** The field manager of MachineSets. It is the one of upstream, so that fields can be unset after a take-over. */
export const setManager = 'capi-machinedeployment';
