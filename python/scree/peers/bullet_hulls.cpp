// Bullet's contact detection of convex hulls in place: bullet_hulls FILE ROUNDS. FILE holds, for each hull, its number of vertices and their coordinates.
#include <btBulletCollisionCommon.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <vector>

static double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

int main(int, char** arguments) {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher(&configuration);
  btDbvtBroadphase broad;
  btCollisionWorld world(&dispatcher, &broad, &configuration);
  std::ifstream file(arguments[1]);
  const int rounds = std::atoi(arguments[2]);
  for (int count; file >> count;) {
    std::vector<btVector3> points;
    btVector3 center(0, 0, 0);
    for (int k = 0; k < count; ++k) {
      double x, y, z;
      file >> x >> y >> z;
      points.emplace_back(btScalar(x), btScalar(y), btScalar(z));
      center += points.back() / btScalar(count);
    }
    auto* shape = new btConvexHullShape();
    for (const btVector3& point : points) shape->addPoint(point - center, false);
    shape->recalcLocalAabb();
    shape->setMargin(btScalar(0.001));
    auto* body = new btCollisionObject();
    body->setCollisionShape(shape);
    body->setWorldTransform(btTransform(btQuaternion::getIdentity(), center));
    world.addCollisionObject(body);
  }
  // The first round makes what later ones keep: manifolds and separating axes.
  double total = 0.0;
  for (int round = 0; round <= rounds; ++round) {
    const double begun = cpu_seconds();
    world.performDiscreteCollisionDetection();
    if (round > 0) total += cpu_seconds() - begun;
  }
  long contacts = 0;
  for (int i = 0; i < dispatcher.getNumManifolds(); ++i) contacts += dispatcher.getManifoldByIndexInternal(i)->getNumContacts();
  std::printf("{\"cpu_ms\": %.6g, \"contacts\": %ld, \"bytes\": %zu}\n", 1e3 * total / rounds, contacts, sizeof(btScalar));
}
