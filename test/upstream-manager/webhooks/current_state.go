// Reads the templates of a class and the objects of a Cluster, as upstream's topology reconciler does.
package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/exp/topology/scope"
)

// currentReads keeps the first error.
type currentReads struct {
	reader  *stored
	cluster *clusterv1.Cluster
	err     error
}

// object returns nil and keeps the error if there is no such object. The version does not matter.
func (r *currentReads) object(group, kind, namespace, name string) *unstructured.Unstructured {
	for _, each := range r.reader.objects {
		gvk := each.GroupVersionKind()
		if gvk.Group == group && gvk.Kind == kind && each.GetNamespace() == namespace && each.GetName() == name {
			return each.DeepCopy()
		}
	}
	if r.err == nil {
		r.err = fmt.Errorf("there is no %s %s/%s", kind, namespace, name)
	}
	return nil
}

func (r *currentReads) template(ref *corev1.ObjectReference) *unstructured.Unstructured {
	return r.object(ref.GroupVersionKind().Group, ref.Kind, ref.Namespace, ref.Name)
}

func (r *currentReads) referenced(ref clusterv1.ContractVersionedObjectReference) *unstructured.Unstructured {
	return r.object(ref.APIGroup, ref.Kind, r.cluster.Namespace, ref.Name)
}

func (r *currentReads) blueprint(class *clusterv1.ClusterClass) *scope.ClusterBlueprint {
	spec, namespace := class.Spec, class.Namespace
	blueprint := &scope.ClusterBlueprint{
		Topology:                      r.cluster.Spec.Topology,
		ClusterClass:                  class,
		InfrastructureClusterTemplate: r.template(spec.Infrastructure.TemplateRef.ToObjectReference(namespace)),
		ControlPlane: &scope.ControlPlaneBlueprint{
			Template: r.template(spec.ControlPlane.TemplateRef.ToObjectReference(namespace)),
		},
		MachineDeployments: map[string]*scope.MachineDeploymentBlueprint{},
		MachinePools:       map[string]*scope.MachinePoolBlueprint{},
	}
	if blueprint.HasControlPlaneInfrastructureMachine() {
		blueprint.ControlPlane.InfrastructureMachineTemplate = r.template(spec.ControlPlane.MachineInfrastructure.TemplateRef.ToObjectReference(namespace))
	}
	if blueprint.HasControlPlaneMachineHealthCheck() {
		blueprint.ControlPlane.HealthCheck = spec.ControlPlane.HealthCheck
	}
	for _, each := range spec.Workers.MachineDeployments {
		blueprint.MachineDeployments[each.Class] = &scope.MachineDeploymentBlueprint{
			Metadata:                      *each.Metadata.DeepCopy(),
			BootstrapTemplate:             r.template(each.Bootstrap.TemplateRef.ToObjectReference(namespace)),
			InfrastructureMachineTemplate: r.template(each.Infrastructure.TemplateRef.ToObjectReference(namespace)),
			HealthCheck:                   each.HealthCheck,
		}
	}
	for _, each := range spec.Workers.MachinePools {
		blueprint.MachinePools[each.Class] = &scope.MachinePoolBlueprint{
			Metadata:                          *each.Metadata.DeepCopy(),
			BootstrapTemplate:                 r.template(each.Bootstrap.TemplateRef.ToObjectReference(namespace)),
			InfrastructureMachinePoolTemplate: r.template(each.Infrastructure.TemplateRef.ToObjectReference(namespace)),
		}
	}
	return blueprint
}

func (r *currentReads) current(ctx context.Context, blueprint *scope.ClusterBlueprint) *scope.ClusterState {
	state := &scope.ClusterState{
		Cluster:            r.cluster,
		ControlPlane:       &scope.ControlPlaneState{},
		MachineDeployments: scope.MachineDeploymentsStateMap{},
		MachinePools:       scope.MachinePoolsStateMap{},
	}
	if r.cluster.Spec.InfrastructureRef.IsDefined() {
		state.InfrastructureCluster = r.referenced(r.cluster.Spec.InfrastructureRef)
	}
	if r.cluster.Spec.ControlPlaneRef.IsDefined() {
		state.ControlPlane.Object = r.referenced(r.cluster.Spec.ControlPlaneRef)
	}
	if state.ControlPlane.Object != nil && blueprint.HasControlPlaneInfrastructureMachine() {
		state.ControlPlane.InfrastructureMachineTemplate = r.machineTemplate(state.ControlPlane.Object)
	}
	r.addWorkers(ctx, state)
	return state
}

// machineTemplate returns the template of the control plane's machines. The contracts have the reference in two places.
func (r *currentReads) machineTemplate(controlPlane *unstructured.Unstructured) *unstructured.Unstructured {
	for _, path := range [][]string{
		{"spec", "machineTemplate", "spec", "infrastructureRef"},
		{"spec", "machineTemplate", "infrastructureRef"},
	} {
		if value, found, _ := unstructured.NestedMap(controlPlane.Object, path...); found {
			ref := &corev1.ObjectReference{}
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(value, ref); err != nil {
				r.err = err
			}
			group, isVersionless := value["apiGroup"].(string)
			if !isVersionless {
				group = ref.GroupVersionKind().Group
			}
			return r.object(group, ref.Kind, r.cluster.Namespace, ref.Name)
		}
	}
	r.err = fmt.Errorf("the control plane has no machine template")
	return nil
}

func (r *currentReads) addWorkers(ctx context.Context, state *scope.ClusterState) {
	ofTopology := []client.ListOption{
		client.InNamespace(r.cluster.Namespace),
		client.MatchingLabels{clusterv1.ClusterNameLabel: r.cluster.Name, clusterv1.ClusterTopologyOwnedLabel: ""},
	}
	deployments, pools := &clusterv1.MachineDeploymentList{}, &clusterv1.MachinePoolList{}
	for _, list := range []client.ObjectList{deployments, pools} {
		if err := r.reader.List(ctx, list, ofTopology...); err != nil {
			r.err = err
		}
	}
	for index := range deployments.Items {
		each := &deployments.Items[index]
		state.MachineDeployments[each.Labels[clusterv1.ClusterTopologyMachineDeploymentNameLabel]] = &scope.MachineDeploymentState{
			Object:                        each,
			BootstrapTemplate:             r.referenced(each.Spec.Template.Spec.Bootstrap.ConfigRef),
			InfrastructureMachineTemplate: r.referenced(each.Spec.Template.Spec.InfrastructureRef),
		}
	}
	for index := range pools.Items {
		each := &pools.Items[index]
		state.MachinePools[each.Labels[clusterv1.ClusterTopologyMachinePoolNameLabel]] = &scope.MachinePoolState{
			Object:                          each,
			BootstrapObject:                 r.referenced(each.Spec.Template.Spec.Bootstrap.ConfigRef),
			InfrastructureMachinePoolObject: r.referenced(each.Spec.Template.Spec.InfrastructureRef),
		}
	}
}
