// The labels and annotations by which MachineDeployments, MachineSets and their Machines work together.

export const templateHashLabel = 'machine-template-hash';

export const revisionAnnotation = 'machinedeployment.clusters.x-k8s.io/revision';
export const revisionHistoryAnnotation = 'machinedeployment.clusters.x-k8s.io/revision-history';
export const desiredReplicasAnnotation = 'machinedeployment.clusters.x-k8s.io/desired-replicas';
export const maxReplicasAnnotation = 'machinedeployment.clusters.x-k8s.io/max-replicas';
/** "true": the MachineSet creates no Machines. */
export const disableMachineCreateAnnotation = 'cluster.x-k8s.io/disable-machine-create';

const inPlace = 'in-place-updates.internal.cluster.x-k8s.io';
/** On an old MachineSet: the name of the MachineSet that gets its Machines. */
export const moveMachinesAnnotation = `${inPlace}/move-machines-to-machineset`;
/** On the current MachineSet: the names of the MachineSets that hand Machines over, separated by commas. */
export const receiveMachinesAnnotation = `${inPlace}/receive-machines-from-machinesets`;
/** On the current MachineSet: the names of the moved Machines that its replicas include, separated by commas. */
export const acknowledgedMoveAnnotation = `${inPlace}/acknowledged-move`;
/** On a Machine that another MachineSet handed over, until its new MachineSet acknowledges it. */
export const pendingAcknowledgeMoveAnnotation = `${inPlace}/pending-acknowledge-move`;
/** On a Machine and its objects while they are updated in place. */
export const updateInProgressAnnotation = `${inPlace}/update-in-progress`;
