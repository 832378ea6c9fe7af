// ODE's QuickStep on spheres between four walls: ode_column FILE STEPS. FILE: step (s), iterations, friction, half width of the box, radius, density,
// then a sphere a row: place, quaternion (w x y z), velocity, angular velocity.
#include <ode/ode.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>

static double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Scene {
  dWorldID world = dWorldCreate();
  dSpaceID space = dHashSpaceCreate(nullptr);
  dJointGroupID joints = dJointGroupCreate(0);
  double friction = 0.0;
  long contacts = 0;
};

static void near(void* data, dGeomID a, dGeomID b) {
  Scene& scene = *static_cast<Scene*>(data);
  const dBodyID first = dGeomGetBody(a), second = dGeomGetBody(b);
  if (!first && !second) return;
  dContact contact[4];
  const int count = dCollide(a, b, 4, &contact[0].geom, sizeof(dContact));
  for (int k = 0; k < count; ++k, ++scene.contacts) {
    contact[k].surface.mode = dContactApprox1;
    contact[k].surface.mu = scene.friction;
    dJointAttach(dJointCreateContact(scene.world, scene.joints, &contact[k]), first, second);
  }
}

int main(int, char** arguments) {
  dInitODE2(0);
  Scene scene;
  std::ifstream file(arguments[1]);
  const int steps = std::atoi(arguments[2]);
  double step, half, radius, density;
  int iterations;
  file >> step >> iterations >> scene.friction >> half >> radius >> density;
  dHashSpaceSetLevels(scene.space, -4, 1);
  dWorldSetGravity(scene.world, 0, 0, -9.81);
  dWorldSetQuickStepNumIterations(scene.world, iterations);
  dWorldSetStepIslandsProcessingMaxThreadCount(scene.world, 1);
  dCreatePlane(scene.space, 0, 0, 1, 0);
  for (const double side : {-1.0, 1.0}) {
    dCreatePlane(scene.space, side, 0, 0, -half);
    dCreatePlane(scene.space, 0, side, 0, -half);
  }
  for (double s[13]; file >> s[0];) {
    for (int k = 1; k < 13; ++k) file >> s[k];
    const dBodyID body = dBodyCreate(scene.world);
    dMass mass;
    dMassSetSphere(&mass, density, radius);
    dBodySetMass(body, &mass);
    dGeomSetBody(dCreateSphere(scene.space, radius), body);
    dBodySetPosition(body, s[0], s[1], s[2]);
    const dQuaternion turn = {s[3], s[4], s[5], s[6]};
    dBodySetQuaternion(body, turn);
    dBodySetLinearVel(body, s[7], s[8], s[9]);
    dBodySetAngularVel(body, s[10], s[11], s[12]);
  }
  const double begun = cpu_seconds();
  for (int k = 0; k < steps; ++k) {
    dSpaceCollide(scene.space, &scene, near);
    dWorldQuickStep(scene.world, step);
    dJointGroupEmpty(scene.joints);
  }
  std::printf("{\"cpu_ms\": %.6g, \"contacts\": %ld, \"bytes\": %zu}\n", 1e3 * (cpu_seconds() - begun) / steps, scene.contacts / steps, sizeof(dReal));
}
