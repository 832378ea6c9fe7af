/// Dense kernels of the BLAS and LAPACK behind CHOLMOD, kept to one thread.
#pragma once

extern "C" {
void dgemm_(const char* trans_a, const char* trans_b, const int* m, const int* n, const int* k, const double* alpha, const double* a, const int* lda,
            const double* b, const int* ldb, const double* beta, double* c, const int* ldc);
void dtrsm_(const char* side, const char* uplo, const char* trans, const char* diag, const int* m, const int* n, const double* alpha,
            const double* a, const int* lda, double* b, const int* ldb);
void dsyrk_(const char* uplo, const char* trans, const int* n, const int* k, const double* alpha, const double* a, const int* lda,
            const double* beta, double* c, const int* ldc);
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info);
void dpotrs_(const char* uplo, const int* n, const int* count, const double* a, const int* lda, double* b, const int* ldb, int* info);
void dgetrf_(const int* m, const int* n, double* a, const int* lda, int* pivots, int* info);
void dgetrs_(const char* trans, const int* n, const int* count, const double* a, const int* lda, const int* pivots, double* b,
             const int* ldb, int* info);
}

namespace scree {

/// Keeps BLAS on one thread while it lives: a threaded BLAS splits sums as it sees fit, and the bits must not depend on how many threads
/// there are. With `serial`, OpenMP loops of the library called (CHOLMOD asks for four threads whatever the settings) stay on one
/// too. May be held by several threads at once.
class OneBlasThread {
 public:
  explicit OneBlasThread(bool serial = true);
  ~OneBlasThread();
  OneBlasThread(const OneBlasThread&) = delete;
  OneBlasThread& operator=(const OneBlasThread&) = delete;

 private:
  bool serial_;
};

}  // namespace scree
