namespace at {

enum class ScalarType : std::int64_t {
    Byte = 0,
    Char = 1,
    Short = 2,
    Int = 3,
    Long = 4,
    Half = 5,
    Float = 6,
    Double = 7,
    Bool = 11,
    BFloat16 = 15
};

template <class T> struct Scalars;
#define HONE_SCALAR(cpp, name)                               \
    template <> struct Scalars<cpp> {                        \
        static constexpr ScalarType type = ScalarType::name; \
        static constexpr const char* word = #name;           \
    };
HONE_SCALAR(std::uint8_t, Byte)
HONE_SCALAR(std::int8_t, Char)
HONE_SCALAR(std::int16_t, Short)
HONE_SCALAR(std::int32_t, Int)
HONE_SCALAR(std::int64_t, Long)
HONE_SCALAR(long long, Long)
HONE_SCALAR(float, Float)
HONE_SCALAR(double, Double)
HONE_SCALAR(bool, Bool)
#ifdef __CUDACC__
using Half = __half;
using BFloat16 = __nv_bfloat16;
HONE_SCALAR(__half, Half)
HONE_SCALAR(__nv_bfloat16, BFloat16)
#endif
#undef HONE_SCALAR

inline std::int64_t bytes_of(ScalarType type) {
    switch (type) {
        case ScalarType::Byte:
        case ScalarType::Char:
        case ScalarType::Bool:
            return 1;
        case ScalarType::Short:
        case ScalarType::Half:
        case ScalarType::BFloat16:
            return 2;
        case ScalarType::Int:
        case ScalarType::Float:
            return 4;
        default:
            return 8;
    }
}

constexpr ScalarType kByte = ScalarType::Byte, kUInt8 = ScalarType::Byte, kChar = ScalarType::Char,
                     kInt8 = ScalarType::Char, kShort = ScalarType::Short, kInt16 = ScalarType::Short,
                     kInt = ScalarType::Int, kInt32 = ScalarType::Int, kLong = ScalarType::Long,
                     kInt64 = ScalarType::Long, kHalf = ScalarType::Half, kFloat16 = ScalarType::Half,
                     kFloat = ScalarType::Float, kFloat32 = ScalarType::Float, kDouble = ScalarType::Double,
                     kFloat64 = ScalarType::Double, kBool = ScalarType::Bool, kBFloat16 = ScalarType::BFloat16;

enum class DeviceType { CPU, CUDA };
constexpr DeviceType kCPU = DeviceType::CPU, kCUDA = DeviceType::CUDA;
using DeviceIndex = int;

struct Device {
    DeviceType kind = kCPU;
    DeviceIndex number = 0;
    Device(DeviceType type, DeviceIndex index = 0) : kind(type), number(index < 0 ? 0 : index) {}
    bool is_cuda() const { return kind == kCUDA; }
    bool is_cpu() const { return kind == kCPU; }
    DeviceType type() const { return kind; }
    DeviceIndex index() const { return kind == kCUDA ? number : -1; }
    bool operator==(const Device& other) const { return index() == other.index(); }
    bool operator!=(const Device& other) const { return !(*this == other); }
};

enum class MemoryFormat { Contiguous, Preserve, ChannelsLast, ChannelsLast3d };

// Numbers that somebody else holds.
class IntArrayRef {
public:
    IntArrayRef(const std::int64_t* data, std::size_t count) : data_(data), count_(count) {}
    IntArrayRef(std::initializer_list<std::int64_t> all) : data_(all.begin()), count_(all.size()) {}
    IntArrayRef(const std::vector<std::int64_t>& all) : data_(all.data()), count_(all.size()) {}
    std::size_t size() const { return count_; }
    const std::int64_t* data() const { return data_; }
    const std::int64_t* begin() const { return data_; }
    const std::int64_t* end() const { return data_ + count_; }
    std::int64_t operator[](std::size_t i) const { return data_[i]; }
    std::vector<std::int64_t> vec() const { return {begin(), end()}; }
    bool equals(IntArrayRef other) const { return vec() == other.vec(); }
    bool operator==(IntArrayRef other) const { return equals(other); }
    bool operator!=(IntArrayRef other) const { return !equals(other); }

private:
    const std::int64_t* data_;
    std::size_t count_;
};

struct TensorOptions {
    std::optional<ScalarType> type;
    std::optional<Device> place;
    TensorOptions() = default;
    TensorOptions(ScalarType of) : type(of) {}
    TensorOptions(Device where) : place(where) {}
    TensorOptions(DeviceType where) : place(where) {}
    TensorOptions dtype(ScalarType of) const {
        return changed([&](TensorOptions& o) { o.type = of; });
    }
    TensorOptions device(Device where) const {
        return changed([&](TensorOptions& o) { o.place = where; });
    }
    TensorOptions device(DeviceType where, DeviceIndex index = 0) const { return device(Device(where, index)); }
    TensorOptions requires_grad(bool = true) const { return *this; }
    TensorOptions layout(int) const { return *this; }
    TensorOptions memory_format(MemoryFormat) const { return *this; }

private:
    template <class Change> TensorOptions changed(Change&& change) const {
        TensorOptions other = *this;
        change(other);
        return other;
    }
};
constexpr int kStrided = 0;

class Tensor {
public:
    Tensor() = default;
    explicit Tensor(std::shared_ptr<const hone_extension::View> view) : view_(std::move(view)) {}

    hone_extension::PyObject* of_python() const { return there().tensor; }
    bool defined() const { return view_ != nullptr; }
    std::int64_t dim() const { return there().rank; }
    std::int64_t ndimension() const { return dim(); }
    std::int64_t size(std::int64_t i) const { return there().sizes[place(i)]; }
    std::int64_t stride(std::int64_t i) const { return there().strides[place(i)]; }
    IntArrayRef sizes() const { return {there().sizes, static_cast<std::size_t>(dim())}; }
    IntArrayRef strides() const { return {there().strides, static_cast<std::size_t>(dim())}; }
    std::int64_t numel() const {
        std::int64_t all = 1;
        for (const std::int64_t size : sizes()) all *= size;
        return all;
    }
    ScalarType scalar_type() const { return static_cast<ScalarType>(there().dtype); }
    ScalarType dtype() const { return scalar_type(); }
    ScalarType type() const { return scalar_type(); }
    std::int64_t element_size() const { return bytes_of(scalar_type()); }
    std::int64_t itemsize() const { return element_size(); }
    std::size_t nbytes() const { return static_cast<std::size_t>(numel() * element_size()); }
    Device device() const {
        return there().device < 0 ? Device(kCPU) : Device(kCUDA, static_cast<int>(there().device));
    }
    DeviceIndex get_device() const { return static_cast<DeviceIndex>(there().device); }
    bool is_cuda() const { return there().device >= 0; }
    bool is_cpu() const { return !is_cuda(); }
    bool is_floating_point() const {
        const ScalarType t = scalar_type();
        return t == kHalf || t == kFloat || t == kDouble || t == kBFloat16;
    }
    bool requires_grad() const { return false; }
    TensorOptions options() const { return TensorOptions(scalar_type()).device(device()); }
    bool is_contiguous(MemoryFormat = MemoryFormat::Contiguous) const {
        std::int64_t step = 1;
        for (std::int64_t i = dim() - 1; i >= 0; --i) {
            if (size(i) != 1 && stride(i) != step) return false;
            step *= size(i);
        }
        return true;
    }
    bool is_same(const Tensor& other) const { return view_ == other.view_; }

    void* data_ptr() const { return there().data; }
    template <class T> T* data_ptr() const {
        using Plain = std::remove_const_t<T>;
        if (Scalars<Plain>::type != scalar_type()) hone_extension::fail("expected scalar type ", Scalars<Plain>::word);
        return static_cast<T*>(there().data);
    }
    template <class T> T* mutable_data_ptr() const { return data_ptr<T>(); }
    template <class T> const T* const_data_ptr() const { return data_ptr<T>(); }
    template <class T> T* data() const { return data_ptr<T>(); }
    template <class T> T item() const;

    // asked of Python
#define HONE_METHOD(name) template <class... A> Tensor name(const A&... rest) const;
#define HONE_METHOD_OF_SIZES(name) Tensor name(IntArrayRef) const;
#define HONE_METHODS(one, of_sizes)                                                                                    \
    one(contiguous) one(clone) one(transpose) one(t) one(squeeze) one(unsqueeze) one(flatten) one(select) one(narrow)  \
        one(sum) one(mean) one(max) one(min) one(to) one(cuda) one(cpu) one(zero_) one(fill_) one(copy_) one(add)      \
            one(sub) one(mul) one(div) one(add_) one(sub_) one(mul_) one(div_) one(matmul) one(mm) one(bmm) one(relu)  \
                one(relu_) one(sigmoid) one(tanh) one(exp) one(log) one(sqrt) one(abs) one(neg) one(clamp) one(clamp_) \
                    one(softmax) one(expand_as) one(view_as) one(detach) one(slice) one(squeeze_) one(pow) one(norm)   \
                        one(argmin) one(argmax) one(cumsum) one(index_select) of_sizes(view) of_sizes(reshape)         \
                            of_sizes(permute) of_sizes(expand) of_sizes(repeat)
    HONE_METHODS(HONE_METHOD, HONE_METHOD_OF_SIZES)
#undef HONE_METHOD
#undef HONE_METHOD_OF_SIZES

private:
    const hone_extension::View& there() const {
        if (!view_) hone_extension::fail("the tensor is not defined");
        return *view_;
    }
    std::size_t place(std::int64_t i) const {
        const std::int64_t rank = there().rank, at = i < 0 ? i + rank : i;
        if (at < 0 || at >= rank) hone_extension::fail("dimension ", i, " of a tensor that has ", rank);
        return static_cast<std::size_t>(at);
    }
    std::shared_ptr<const hone_extension::View> view_;
};

}  // namespace at
