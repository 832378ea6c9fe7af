"""Other engines on our scenes, in the same run: small drivers, compiled where the engine is installed (Debian packages libbullet-dev, libode-dev)."""
import json
import pathlib
import shutil
import subprocess
import tempfile

#: Driver -> name of the engine, what the compiler needs, the package that has it.
DRIVERS = {
    "bullet_hulls": ("Bullet", ("-I/usr/include/bullet", "-lBulletCollision", "-lLinearMath"), "libbullet-dev"),
    "ode_column": ("ODE", ("-lode",), "libode-dev"),
}


def run(driver, scene, rounds):
    """Compile a driver, give it the text of a scene and so many rounds; its figures: name, cpu_ms of a round, contacts, bytes of its numbers."""
    name, needs, package = DRIVERS[driver]
    source = pathlib.Path(__file__).parent / f"{driver}.cpp"
    compiler = shutil.which("g++")
    if compiler is None:
        raise ValueError(f"--against: {name} needs g++ to compile its driver; install the Debian package g++")
    with tempfile.TemporaryDirectory() as folder:
        program, data = pathlib.Path(folder) / driver, pathlib.Path(folder) / "scene.txt"
        made = subprocess.run([compiler, "-O3", "-march=native", "-std=c++17", str(source), "-o", str(program), *needs], capture_output=True, text=True)
        if made.returncode:
            raise ValueError(f"--against: the driver of {name} does not compile; install the Debian package {package} (the compiler said: {made.stderr.strip()[:200]})")
        data.write_text(scene)
        done = subprocess.run([str(program), str(data), str(rounds)], capture_output=True, text=True)
        if done.returncode:
            raise ValueError(f"--against: the driver of {name} ended with status {done.returncode}: {done.stderr.strip()[:200]}")
    return {"name": name, **json.loads(done.stdout)}
